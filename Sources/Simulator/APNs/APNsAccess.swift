/// The permissions in the simulated world: the data of Apple's developer portal.
public struct APNsAccess: Sendable {
    /// The Apple service that is simulated.
    public enum Environment: String, Sendable {
        /// `api.push.apple.com`.
        case production
        /// `api.sandbox.push.apple.com`.
        case sandbox
    }

    /// The public half of a provider's signing key.
    public struct ProviderKey: Sendable {
        /// The 10 characters that a provider token has as `kid`.
        public let keyID: String
        /// The 10 characters that a provider token has as `iss`.
        public let teamID: String
        /// The public key as PEM ("BEGIN PUBLIC KEY").
        public let publicKeyPEM: [UInt8]
        /// The only topics of a topic-specific key; nil for a key of the whole team.
        public let topics: [String]?
        /// The only environment that the key is for; nil for both.
        public let environment: Environment?

        /// Registers a key.
        public init(
            keyID: String,
            teamID: String,
            publicKeyPEM: [UInt8],
            topics: [String]? = nil,
            environment: Environment? = nil
        ) {
            self.keyID = keyID
            self.teamID = teamID
            self.publicKeyPEM = publicKeyPEM
            self.topics = topics
            self.environment = environment
        }
    }

    /// A client certificate that the portal issued, identified by the common name of its subject.
    public struct ClientCertificate: Sendable {
        /// The common name of its subject.
        public let commonName: String
        /// The topics it covers, each with its suffix if it has one; a certificate with a single topic needs no header.
        public let topics: [String]
        /// The only environment it is for; nil for both.
        public let environment: Environment?

        /// Registers a certificate.
        public init(commonName: String, topics: [String], environment: Environment? = nil) {
            self.commonName = commonName
            self.topics = topics
            self.environment = environment
        }
    }

    /// The simulated service.
    public var environment: Environment
    /// The existing bundle identifiers; empty means any.
    public var topics: [String]
    /// The bundle identifiers without Broadcast Capability.
    public var topicsWithoutBroadcast: [String] = []
    /// The most broadcast channels of one bundle identifier; Apple: 10,000 in each environment.
    public var channelsMost = 10_000
    /// The registered signing keys.
    public var keys: [ProviderKey]
    /// The issued client certificates; empty means that any certificate of the simulator's authority may send to any
    /// topic.
    public var certificates: [ClientCertificate]
    /// The greatest age of a provider token in seconds; Apple: one hour.
    public var tokenSecondsMost: Int64
    /// The seconds by which `iat` may be ahead of our clock, since two clocks are never equal.
    public var clockSkewSecondsMost: Int64
    /// The shortest time between two provider tokens of one connection, in seconds; Apple: 20 minutes.
    public var tokenUpdateSecondsLeast: Int64
    /// The most different provider tokens of one team within `tokenUpdateSecondsLeast`, over all connections.
    ///
    /// Every process of a fleet has a token, so the number is far above 1.
    public var teamTokensMost: Int

    /// Creates a world with Apple's limits.
    public init(
        environment: Environment = .production,
        topics: [String] = [],
        keys: [ProviderKey] = [],
        certificates: [ClientCertificate] = []
    ) {
        self.environment = environment
        self.topics = topics
        self.keys = keys
        self.certificates = certificates
        tokenSecondsMost = 3600
        clockSkewSecondsMost = 60
        tokenUpdateSecondsLeast = 20 * 60
        teamTokensMost = 100
    }
}
