import Foundation

/// Decides when this device registers, and with which facts; no clock, no I/O.
///
/// Changes are sent at once. Temporary failures are retried with growing delays. A refused registration waits for a
/// change.
struct Registrar {
    /// A registration to send.
    struct Request: Equatable {
        let body: [String: JSON]
        /// The device's own secret; nil the first time, when the integration key authorizes the request.
        let secret: String?
        fileprivate let facts: DeviceFacts
        fileprivate let badge: Int?
        /// True if this id was sent before with an unknown result.
        fileprivate let isSecondTry: Bool
    }

    /// The state that outlives the app.
    struct Memory: Codable, Equatable {
        /// The id of this installation.
        var device: UUID
        var secret: String?
        /// The facts that the server has been told.
        var told: DeviceFacts?
        var toldAt: Date?
        /// The count on the icon that the server must still be told.
        var badge: Int?
        /// True if the server may have given this id a secret in an answer that never arrived.
        var wasTried: Bool?
    }

    /// The longest time between registrations even without changes: the server may have been restored from a backup.
    static let refresh: TimeInterval = 7 * 86_400

    private(set) var memory: Memory
    private(set) var facts: DeviceFacts
    private(set) var last: RegistrationResult?
    private let hasServer: Bool
    private let hasKey: Bool
    private var sending: Request?
    private var backoff = Backoff()
    /// The number of ids in a row that the server attributed to another installation.
    private var takenIDs = 0
    private var notBefore = Date.distantPast
    /// The facts that the server refused; they are not sent again until they change.
    private var refused: DeviceFacts?
    /// The proof of the user's identity, from the app's own back end; kept in memory only.
    private(set) var userProof: String?

    init(memory: Memory, facts: DeviceFacts, hasServer: Bool, hasKey: Bool) {
        self.memory = memory
        self.facts = facts
        self.hasServer = hasServer
        self.hasKey = hasKey
    }

    /// True if the server knows the device.
    var isRegistered: Bool { memory.secret != nil }

    /// Starts over as the device `spare`, because the server does not know the device's secret any more.
    mutating func wasForgotten(spare: UUID) {
        memory = Memory(device: spare)
        refused = nil
    }

    /// Changes the facts of the device.
    mutating func change(_ body: (inout DeviceFacts) -> Void) { body(&facts) }

    /// Records a new count on the icon, to be sent to the server.
    mutating func badgeWasSet(_ count: Int) { memory.badge = count }

    /// Sets the user of the app, with a proof from its back end where the server asks for one.
    mutating func setUser(_ key: String?, proof: String?) {
        (facts.user, facts.isUserProven, userProof) = (key, proof != nil, proof)
        // Another proof of the same user may be accepted.
        refused = nil
    }

    /// Starts over after the person asked to be forgotten: nothing is sent until the app sets a token again.
    mutating func wasForgottenByHand(spare: UUID) {
        wasForgotten(spare: spare)
        var rest = DeviceFacts()
        (rest.provider, rest.environment) = (facts.provider, facts.environment)
        (facts, userProof) = (rest, nil)
    }

    /// The time at which `next` may return a request; nil while there is nothing to send.
    func wakeAt(now: Date) -> Date? {
        guard sending == nil, facts.token != nil else { return nil }
        if refused == facts { return nil }
        guard facts == memory.told, memory.badge == nil, isRegistered else { return notBefore }
        return (memory.toldAt ?? now) + Self.refresh
    }

    /// The result reported before anything is sent, when the server or the key is missing.
    var obstacle: RegistrationResult? {
        if !hasServer { return RegistrationResult(.serverEmpty, reason: "no server was given") }
        if !hasKey, !isRegistered {
            return RegistrationResult(.integrationKeyEmpty, reason: "no integration key was given")
        }
        return nil
    }

    /// The request that is due; nil for none.
    mutating func next(now: Date) -> Request? {
        guard obstacle == nil, let wakeAt = wakeAt(now: now), wakeAt <= now,
            let body = facts.body(since: memory.told, badge: memory.badge, hasProof: userProof != nil)
        else { return nil }
        let request = Request(
            body: body,
            secret: memory.secret,
            facts: facts,
            badge: memory.badge,
            isSecondTry: memory.wasTried == true
        )
        if memory.secret == nil { memory.wasTried = true }
        sending = request
        return request
    }

    /// Handles the end of a request; `secret` is the one that the server gave the first time.
    ///
    /// `chance` is from 0 to below 1; `spare` becomes the device's id when the server has forgotten the old one.
    mutating func ended(
        _ result: RegistrationResult,
        secret: String? = nil,
        retryAfter: TimeInterval? = nil,
        now: Date,
        chance: Double,
        spare: UUID
    ) {
        guard let request = sending else { return }
        (sending, last) = (nil, result)
        // A definite answer settles the first try.
        if !result.isPassing { memory.wasTried = nil }
        switch result.status {
        case .registered:
            backoff.worked()
            takenIDs = 0
            memory.secret = secret ?? memory.secret
            (memory.told, memory.toldAt, refused) = (request.facts, now, nil)
            // A count that was set in the meantime is sent next.
            if memory.badge == request.badge { memory.badge = nil }
        case .integrationKeyUnknown where request.secret != nil:
            // The server has forgotten this device, as after `device forget`: it starts over as a new one.
            wasForgotten(spare: spare)
        case .integrationKeyUnknown where request.isSecondTry:
            // The id may be the problem: the first answer, with the secret, may have been lost. A new id settles it.
            wasForgotten(spare: spare)
        case .deviceExists:
            // The first retry is immediate; a server that reports every id as taken is asked with growing delays.
            wasForgotten(spare: spare)
            if takenIDs > 0 { notBefore = now + backoff.failed(chance: chance, floor: retryAfter) }
            takenIDs += 1
        case _ where result.isPassing:
            notBefore = now + backoff.failed(chance: chance, floor: retryAfter)
        default: refused = request.facts
        }
    }

    /// Allows a try at once, because the network is back.
    mutating func networkReturned() { notBefore = .distantPast }
}
