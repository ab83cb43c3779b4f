import Foundation

/// Decides when this device registers, and with what; no clock, no I/O.
///
/// Something that changes is told at once, what fails in passing is tried again, later and later; what the server refuses
/// waits until something changes.
struct Registrar {
    /// What is to be sent.
    struct Request: Equatable {
        let body: [String: JSON]
        /// The device's own secret; nil the first time, when the integration key says who asks.
        let secret: String?
        fileprivate let facts: DeviceFacts
        fileprivate let badge: Int?
        /// The same id was shown before, and what came of it is not known.
        fileprivate let isSecondTry: Bool
    }

    /// What outlives the app.
    struct Memory: Codable, Equatable {
        /// The id of this installation.
        var device: UUID
        var secret: String?
        /// What the server has been told.
        var told: DeviceFacts?
        var toldAt: Date?
        /// The count on the icon that the server is still to be told.
        var badge: Int?
        /// The server may have given this id a secret in an answer that never came.
        var wasTried: Bool?
    }

    /// So often the server hears of a device at least, whatever changes: its knowledge may have been restored from a
    /// backup.
    static let refresh: TimeInterval = 7 * 86_400

    private(set) var memory: Memory
    private(set) var facts: DeviceFacts
    private(set) var last: RegistrationResult?
    private let hasServer: Bool
    private let hasKey: Bool
    private var sending: Request?
    private var backoff = Backoff()
    /// Ids in a row that the server called another installation's.
    private var takenIDs = 0
    private var notBefore = Date.distantPast
    /// The facts that the server did not want: not again before they change.
    private var refused: DeviceFacts?
    /// Who the user is, by the app's own back end; kept in memory only.
    private(set) var userProof: String?

    init(memory: Memory, facts: DeviceFacts, hasServer: Bool, hasKey: Bool) {
        self.memory = memory
        self.facts = facts
        self.hasServer = hasServer
        self.hasKey = hasKey
    }

    /// Whether the server knows the device.
    var isRegistered: Bool { memory.secret != nil }

    /// The server does not know the device's secret any more: it registers anew, as the device `spare`.
    mutating func wasForgotten(spare: UUID) {
        memory = Memory(device: spare)
        refused = nil
    }

    /// Changes what is true of the device.
    mutating func change(_ body: (inout DeviceFacts) -> Void) { body(&facts) }

    /// The count on the icon was set: the server's own follows.
    mutating func badgeWasSet(_ count: Int) { memory.badge = count }

    /// Says who uses the app, with the word of its back end where that is asked for.
    mutating func setUser(_ key: String?, proof: String?) {
        (facts.user, facts.isUserProven, userProof) = (key, proof != nil, proof)
        // Another proof of the same user may be the one that is believed.
        refused = nil
    }

    /// The person wants to be forgotten and the server has done so: nothing is sent before the app tells a token again.
    mutating func wasForgottenByHand(spare: UUID) {
        wasForgotten(spare: spare)
        var rest = DeviceFacts()
        (rest.provider, rest.environment) = (facts.provider, facts.environment)
        (facts, userProof) = (rest, nil)
    }

    /// When `next` is worth a call; nil: when something changes.
    func wakeAt(now: Date) -> Date? {
        guard sending == nil, facts.token != nil else { return nil }
        if refused == facts { return nil }
        guard facts == memory.told, memory.badge == nil, isRegistered else { return notBefore }
        return (memory.toldAt ?? now) + Self.refresh
    }

    /// What the app is told before anything is sent: the server or the key is missing.
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

    /// The request ended; `secret` is what the server gave the first time.
    ///
    /// `chance` is from 0 to below 1, `spare` the id of the device that this becomes when the server has forgotten it.
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
        // An answer that says what became of it.
        if !result.isPassing { memory.wasTried = nil }
        switch result.status {
        case .registered:
            backoff.worked()
            takenIDs = 0
            memory.secret = secret ?? memory.secret
            (memory.told, memory.toldAt, refused) = (request.facts, now, nil)
            // One that was set meanwhile is told next.
            if memory.badge == request.badge { memory.badge = nil }
        case .integrationKeyUnknown where request.secret != nil:
            // The server has forgotten this device, as after `device forget`: it is another one from now on.
            wasForgotten(spare: spare)
        case .integrationKeyUnknown where request.isSecondTry:
            // Perhaps it is the id: its first answer, with the secret, may have been lost. A new one tells.
            wasForgotten(spare: spare)
        case .deviceExists:
            // At once the first time; a server that says so of every id is not asked in a circle.
            wasForgotten(spare: spare)
            if takenIDs > 0 { notBefore = now + backoff.failed(chance: chance, floor: retryAfter) }
            takenIDs += 1
        case _ where result.isPassing:
            notBefore = now + backoff.failed(chance: chance, floor: retryAfter)
        default: refused = request.facts
        }
    }

    /// The network is there again: it is worth a try at once.
    mutating func networkReturned() { notBefore = .distantPast }
}
