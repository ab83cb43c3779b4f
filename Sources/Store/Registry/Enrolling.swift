public import Campaigns
import Delivery

/// A device's word of itself at the edge.
public struct Enrolment: Sendable {
    /// What it says; `device.id` is the installation, `registeredAt` is the ledger's business.
    public var registration: DeviceRegistration
    /// The token as raw bytes; nil when the device does not say it again, and keeps the one that it has.
    public var token: [UInt8]?
    /// Why it is believed.
    public var proof: Proof

    /// What a device shows.
    public enum Proof: Sendable {
        /// A key of its app, by its number; with the user whom a valid token of the app's back end names, nil without one,
        /// and the SHA-256 of the secret that it gets now.
        case integrationKey(secretHash: [UInt8], user: String?, key: Int64?)
        /// The SHA-256 of its own secret.
        case secret(hash: [UInt8])
    }

    /// A device's word.
    public init(registration: DeviceRegistration, token: [UInt8]?, proof: Proof) {
        self.registration = registration
        self.token = token
        self.proof = proof
    }
}

/// What became of a device's word.
public enum EnrolmentResult: Sendable, Equatable {
    /// It stands in the registry; `isNew`: it did not before.
    case registered(isNew: Bool)
    /// The id is another installation's, and a key of the app is no proof to be that (`Adoption`).
    case exists
    /// Nobody has this secret, or not for this installation.
    case unknownSecret
    /// It says no token and has none.
    case noToken
    /// More tags or attributes than a device may have.
    case tooMany
}

extension LedgerTransaction {
    /// How old a registration may be before the same word of the same token is written again, in milliseconds.
    private static let freshness: Int64 = 86_400_000

    /// Registers a device that speaks for itself, or changes what is known of it; refusals change nothing.
    ///
    /// A token that it says is good as of now, whatever a provider said of it before; a device that was forgotten begins
    /// anew.
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
        case .added: return .registered(isNew: true)
        case .updated, .unchanged: break
        case .tooMany: return .tooMany
        case .outdated, .forgotten: throw .failed("device of \(app): \(result.rawValue) as of now")
        }
        if registration.badge ?? 0 > 0 { try countBadges(of: app) }
        return .registered(isNew: known == nil || known?.state == .forgotten)
    }

    /// Whether the registry has heard of this very token lately, and nothing against it: apps say it at every start.
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
    /// What decides who may speak for it; nil of a tombstone, whose id is free.
    var adoptable: Adoption.Known? {
        guard state != .forgotten else { return nil }
        let token = token.map { Adoption.Token(provider: traits.provider, bytes: $0) }
        return Adoption.Known(token: token, user: user, secretHash: secretHash)
    }
}
