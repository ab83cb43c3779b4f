public import Campaigns

/// The health of a worker as only the worker itself knows it: what it cannot do, and the credentials that it works
/// with.
///
/// A worker writes it into its row of the ledger with each report. What the ledger has anyway is not repeated here: the
/// clock's skew and the accounts are columns of the row, and breakers are the fleet's.
public struct WorkerHealth: Sendable, Equatable {
    /// Something that does not work, with its beginning.
    public struct Fault: Sendable, Equatable {
        /// The instant from which it does not work.
        public var since: Timestamp
        /// The reason, for people and without secrets.
        public var reason: String

        /// A fault.
        public init(since: Timestamp, reason: String) {
            self.since = since
            self.reason = reason
        }
    }

    /// The state of an app's credential with a provider.
    public struct Credential: Sendable, Equatable {
        /// The app.
        public var app: String
        /// The provider.
        public var provider: ProviderName
        /// The instant at which the token in use was made; nil without one.
        public var madeAt: Timestamp?
        /// The end of a certificate; nil for keys, which have none.
        public var expiresAt: Timestamp?
        /// The last instant at which the provider is known to have accepted it.
        public var acceptedAt: Timestamp?
        /// The provider's refusal; nil while it accepts the credential, or has not been asked.
        public var refusal: Fault?

        /// A credential about which nothing is known yet.
        public init(app: String, provider: ProviderName) {
            self.app = app
            self.provider = provider
        }

        /// The account's name, such as `news (apns)`.
        public var name: String { "\(app) (\(provider.rawValue))" }
    }

    /// The means with which a worker sends, for forecasts.
    public struct Sending: Sendable, Equatable {
        /// The event loops that send.
        public var loops: Int
        /// The mean seconds from a request to its answer since the worker began, by provider with answers.
        public var latencies: [ProviderName: Double]

        /// Means; without latencies nothing is known of answers.
        public init(loops: Int, latencies: [ProviderName: Double] = [:]) {
            (self.loops, self.latencies) = (loops, latencies)
        }
    }

    /// The failure of the worker's writes to the ledger; nil while they succeed.
    public var ledger: Fault?
    /// The loss of a connection to the broker; nil while there are both.
    public var broker: Fault?
    /// The beginning of the broker's alarm, in which it takes no publishes; nil without an alarm.
    public var alarmSince: Timestamp?
    /// The faults of the broker's cluster; nil if the worker may not look, or does not.
    public var cluster: BrokerFaults?
    /// The lead of the host's clock over the broker's in milliseconds; nil if it is negligible or unknown.
    public var brokerSkew: Int64?
    /// The credentials, sorted by app and provider.
    public var credentials: [Credential]
    /// The version of each app's entry in the apps file, key files included.
    public var versions: [String: String]

    /// The result of the worker's last reading of its files; nil for versions that do not report it.
    public var reload: ReloadAnswer?
    /// The means with which it sends; nil without the sender role, and for versions that do not report them.
    public var sending: Sending?

    /// A worker that can do everything.
    public init(credentials: [Credential] = [], versions: [String: String] = [:]) {
        self.credentials = credentials
        self.versions = versions
    }
}
