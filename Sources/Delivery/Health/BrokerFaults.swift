public import Campaigns

/// The faults of a cluster of brokers, as one look at its management API shows them.
///
/// AMQP alone does not tell them: a node without a majority takes connections, and answers that nobody takes from a
/// queue.
public struct BrokerFaults: Sendable, Equatable {
    /// A node that has too little of a resource.
    public struct Alarm: Sendable, Equatable {
        /// The node's name.
        public var node: String
        /// The resource.
        public var resource: ClusterStanding.Resource

        /// An alarm.
        public init(node: String, resource: ClusterStanding.Resource) {
            (self.node, self.resource) = (node, resource)
        }
    }

    /// The queues of ours without a majority of their nodes, sorted.
    public var queues: [String] = []
    /// The nodes that are down or do not answer, sorted.
    public var missing: [String] = []
    /// The nodes that a partition has parted from others, sorted.
    public var parted: [String] = []
    /// The alarms, sorted by node.
    public var alarms: [Alarm] = []
    /// The beginning, as far as it is known.
    public var since: Timestamp?

    /// A broker without faults.
    public init() {}

    /// The faults of a standing.
    public init(_ standing: ClusterStanding) {
        queues = standing.withoutQuorum
        missing = standing.missingNodes
        parted = standing.partedNodes
        alarms = standing.members.sorted { $0.name < $1.name }.flatMap { node in
            ClusterStanding.Resource.allCases.filter(node.alarms.contains).map { Alarm(node: node.name, resource: $0) }
        }
    }

    /// True if there are none.
    public var isEmpty: Bool { queues.isEmpty && missing.isEmpty && parted.isEmpty && alarms.isEmpty }

    /// The problems, the one that explains most first.
    public var problems: [HealthProblem] { [quorum, node, partition, alarm].compactMap(\.self) }

    private var quorum: HealthProblem? {
        guard let first = queues.first else { return nil }
        let lost =
            queues.count == 1
            ? "queue \(first) has lost the majority of its nodes, and takes and gives nothing"
            : "\(queues.count) queues (\(first), …) have lost the majority of their nodes, and take and give nothing"
        return problem(
            .brokerQuorum,
            missing.isEmpty ? lost : "\(lost): \(Self.list(missing)) \(missing.count == 1 ? "is" : "are") missing",
            remedy: "start the missing nodes, or let them reach each other; the workers go on by themselves"
        )
    }

    private var node: HealthProblem? {
        // Nodes that were parted see each other, and count as missing until they are restarted.
        let missing = missing.filter { !parted.contains($0) }
        guard queues.isEmpty, !missing.isEmpty else { return nil }
        return problem(
            .brokerNode,
            "\(Self.list(missing)) \(missing.count == 1 ? "is" : "are") missing from the broker's cluster; "
                + "the queues go on, and one more may stop them",
            remedy: "start it (rabbitmq-diagnostics cluster_status), then fanfare doctor says if leaders are spread"
        )
    }

    private var partition: HealthProblem? {
        guard !parted.isEmpty else { return nil }
        return problem(
            .brokerPartition,
            "the broker's cluster was partitioned, and \(Self.list(parted)) \(parted.count == 1 ? "has" : "have") "
                + "not joined it again",
            remedy: "restart the nodes of the smaller side, one after another"
        )
    }

    private var alarm: HealthProblem? {
        guard !alarms.isEmpty else { return nil }
        let list = alarms.map { "\($0.resource.rawValue) of \($0.node)" }.joined(separator: ", ")
        return problem(
            .brokerAlarm,
            "the broker is in an alarm and takes no publishes: too little \(list)",
            remedy: "give it memory or disk (rabbitmq-diagnostics alarms)"
        )
    }

    private func problem(_ code: HealthProblem.Code, _ cause: String, remedy: String) -> HealthProblem {
        HealthProblem(code, of: "broker", since: since, cause, remedy: remedy)
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

/// The form in a worker's report: a JSON object in which members may be missing.
extension BrokerFaults {
    /// Reads a report; what cannot be read counts as not reported.
    init(_ json: JSONValue) {
        func names(_ key: String) -> [String] { (json[key]?.array ?? []).compactMap(\.string) }
        (queues, missing, parted) = (names("queues"), names("missing"), names("parted"))
        alarms = (json["alarms"]?.array ?? []).compactMap { alarm in
            guard let node = alarm["node"]?.string,
                let resource = alarm["resource"]?.string.flatMap({ ClusterStanding.Resource(rawValue: $0) })
            else { return nil }
            return Alarm(node: node, resource: resource)
        }
        since = json.instant("since")
    }

    /// The report.
    var json: JSONValue {
        .object([
            "since": since.map { .string($0.rfc3339) }, "queues": .array(queues.map(JSONValue.string)),
            "missing": .array(missing.map(JSONValue.string)), "parted": .array(parted.map(JSONValue.string)),
            "alarms": .array(
                alarms.map { .object(["node": .string($0.node), "resource": .string($0.resource.rawValue)]) }
            ),
        ])
    }
}
