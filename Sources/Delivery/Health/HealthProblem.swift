public import Campaigns

/// A problem of the fleet, in the words that `status`, `doctor`, the HTTP API and a worker's probe share.
public struct HealthProblem: Sendable, Equatable {
    /// The kind of a problem: its name in JSON and in the metrics.
    public enum Code: String, Sendable, CaseIterable {
        /// The ledger cannot be read from here.
        case ledger
        /// The ledger takes no writes.
        case ledgerWrites = "ledger_writes"
        /// The broker cannot be reached.
        case broker
        /// The broker is in an alarm and takes no publishes.
        case brokerAlarm = "broker_alarm"
        /// Queues have lost the majority of their nodes.
        case brokerQuorum = "broker_quorum"
        /// A node of the broker's cluster is missing, and the queues go on without it.
        case brokerNode = "broker_node"
        /// A partition of the broker's cluster has not been mended.
        case brokerPartition = "broker_partition"
        /// Queues do not exist.
        case queuesMissing = "queues_missing"
        /// Queues have no consumer.
        case noConsumer = "no_consumer"
        /// No worker is running.
        case noWorker = "no_worker"
        /// A worker fell silent without saying goodbye.
        case workerSilent = "worker_silent"
        /// A host's clock is wrong.
        case clock
        /// The provider refuses an app's credentials.
        case credentials
        /// An app's certificate ends soon.
        case credentialsEnd = "credentials_end"
        /// A breaker is open.
        case breaker
        /// Some workers lack an app or one of its providers.
        case appMissing = "app_missing"
        /// Workers have different versions of an app.
        case appVersions = "app_versions"
        /// An app has campaigns, and no worker has its credentials.
        case appStranded = "app_stranded"
        /// A worker refuses a file that it has read again.
        case reloadRefused = "reload_refused"
        /// A worker does not answer the order to read its files again.
        case reloadUnanswered = "reload_unanswered"
        /// A campaign is paused until a person fixes something.
        case campaignPaused = "campaign_paused"
        /// A webhook takes no events.
        case webhook
        /// Messages are parked.
        case parked

        /// The kinds for which no campaign goes out.
        public static let stoppingAll: Set<Code> = [.ledgerWrites, .broker, .brokerQuorum, .brokerAlarm]

        /// The kinds that a worker reports of itself.
        public static let ofWorker: [Code] = [
            .ledgerWrites, .broker, .brokerQuorum, .brokerNode, .brokerPartition, .brokerAlarm, .clock, .reloadRefused,
            .credentials, .credentialsEnd,
        ]

        /// True if only a look at the broker's cluster shows it; an alarm is also told to those who publish.
        var isOfClusterAlone: Bool { [.brokerQuorum, .brokerNode, .brokerPartition].contains(self) }
    }

    /// The kind.
    public var code: Code
    /// The name of the part that has the problem, such as `worker ana.17` or `news (apns)`.
    public var subject: String
    /// The beginning, as far as it is known.
    public var since: Timestamp?
    /// The problem in one line.
    public var cause: String
    /// The action that ends it.
    public var remedy: String
    /// False if it may end by itself.
    public var needsPerson: Bool

    /// A problem.
    public init(
        _ code: Code,
        of subject: String,
        since: Timestamp? = nil,
        _ cause: String,
        remedy: String,
        needsPerson: Bool = true
    ) {
        self.code = code
        self.subject = subject
        self.since = since
        self.cause = cause
        self.remedy = remedy
        self.needsPerson = needsPerson
    }

    /// The cause with the beginning.
    public var detail: String { since.map { "\(cause) (since \($0.rfc3339))" } ?? cause }

    /// The whole problem in one line.
    public var text: String { "\(detail): \(remedy)" }

    /// The problem for scripts.
    public var json: JSONValue {
        .object([
            "code": .string(code.rawValue), "subject": .string(subject),
            "since": since.map { .string($0.rfc3339) } ?? .null, "cause": .string(cause), "remedy": .string(remedy),
            "needs_person": .bool(needsPerson),
        ])
    }
}
