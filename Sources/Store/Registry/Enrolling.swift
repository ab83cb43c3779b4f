public import Campaigns
import Delivery

/// A device's registration of itself at the edge.
public struct Enrolment: Sendable {
    /// The registered data; `device.id` is the installation, and the ledger sets `registeredAt`.
    public var registration: DeviceRegistration
    /// The token as raw bytes; nil if the device does not send it again and keeps its old one.
    public var token: [UInt8]?
    /// The proof of the device's identity.
    public var proof: Proof
    /// All of the device's tokens for Live Activities, which replace those that it had; nil leaves them.
    public var activities: [ActivityToken]?

    /// A device's proof.
    public enum Proof: Sendable {
        /// The number of an app's key, the user that a valid token of the app's back end names (nil without one), and
        /// the SHA-256 of the device's new secret.
        case integrationKey(secretHash: [UInt8], user: String?, key: Int64?)
        /// The SHA-256 of the device's own secret.
        case secret(hash: [UInt8])
    }

    /// A registration with its proof.
    public init(
        registration: DeviceRegistration,
        token: [UInt8]?,
        proof: Proof,
        activities: [ActivityToken]? = nil
    ) {
        self.registration = registration
        self.token = token
        self.proof = proof
        self.activities = activities
    }
}

/// The result of a device's registration.
public enum EnrolmentResult: Sendable, Equatable {
    /// The device is registered; `isNew` is true if it was not before.
    case registered(isNew: Bool)
    /// The id is another installation's, and an app's key is no proof of being that installation (`Adoption`).
    case exists
    /// No device has this secret, or a different installation has it.
    case unknownSecret
    /// The device sends no token and has none.
    case noToken
    /// The device has more tags or attributes than allowed.
    case tooMany
}

extension LedgerTransaction {
    /// The age in milliseconds up to which an unchanged registration of the same token is not written again.
    private static let freshness: Int64 = 86_400_000

    /// Registers a device that speaks for itself, or updates its data; a refusal changes nothing.
    ///
    /// A token that the device sends is good from now on, whatever a provider said of it before. A forgotten device is
    /// registered anew.
    public func enroll(_ word: Enrolment, app: String, now: Timestamp) throws(LedgerError) -> EnrolmentResult {
        let keys = RegistryKeys(app: app)
        let known = try reader.device(keys, installation: word.registration.device.id ?? "")
        let secret: SecretChange
        switch Adoption.judge(known?.adoptable, token: word.adoptionToken, proof: word.proof.adoption) {
        case .begins: secret = .begins(word.proof.newSecretHash, key: word.proof.key)
        case .adopted: secret = .becomes(word.proof.newSecretHash)
        case .itself: secret = .stays
        case .anothers: return .exists
        case .unknownSecret: return .unknownSecret
        }
        guard let token = word.token ?? known?.token else { return .noToken }
        var registration = word.registration
        if word.token == nil, let known {
            registration.device.provider = known.traits.provider
        } else if !isFresh(known, token: token, now: now) {
            let past = max(known?.endedAt?.milliseconds ?? 0, known?.traits.registeredAt?.milliseconds ?? 0)
            registration.registeredAt = Timestamp(milliseconds: max(now.milliseconds, past + 1))
        }
        var numbers = try RegistryNumbers(self, app: app)
        let result = try register(registration, token: token, secret: secret, keys, &numbers, now: now)
        try numbers.save(self)
        switch result {
        case .added, .updated, .unchanged: break
        case .tooMany: return .tooMany
        case .outdated, .forgotten: throw .failed("device of \(app): \(result.rawValue) as of now")
        }
        if result != .added, registration.badge ?? 0 > 0 { try countBadges(of: app) }
        if let activities = word.activities, let id = registration.device.id,
            let device = try reader.device(keys, installation: id)
        {
            let isApple = device.traits.provider == .apns
            try setActivities(isApple ? activities : [], of: device.number, keys, now: now)
        }
        return .registered(isNew: result == .added || known?.state == .forgotten)
    }

    /// Returns true if this token was registered lately and nothing is held against it; apps register at every start.
    private func isFresh(_ known: RegisteredDevice?, token: [UInt8], now: Timestamp) -> Bool {
        guard let known, known.state == .live, !known.isSuspect, known.token == token,
            let at = known.traits.registeredAt?.milliseconds
        else { return false }
        return at <= now.milliseconds && now.milliseconds - at < Self.freshness
    }
}

extension Enrolment {
    fileprivate var adoptionToken: Adoption.Token? {
        token.map { Adoption.Token(provider: registration.device.provider, bytes: $0) }
    }
}

extension Enrolment.Proof {
    fileprivate var adoption: Adoption.Proof {
        switch self {
        case .integrationKey(_, let user, _): .integrationKey(user: user)
        case .secret(let hash): .secret(hash: hash)
        }
    }

    fileprivate var newSecretHash: [UInt8]? {
        if case .integrationKey(let hash, _, _) = self { hash } else { nil }
    }

    fileprivate var key: Int64? {
        if case .integrationKey(_, _, let key) = self { key } else { nil }
    }
}

extension RegisteredDevice {
    /// The facts that decide who may speak for the device; nil for a tombstone, whose id is free.
    var adoptable: Adoption.Known? {
        guard state != .forgotten else { return nil }
        let token = token.map { Adoption.Token(provider: traits.provider, bytes: $0) }
        return Adoption.Known(token: token, user: user, secretHash: secretHash)
    }
}
