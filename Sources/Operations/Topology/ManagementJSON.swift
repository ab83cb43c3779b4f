import Delivery
import FoundationEssentials

/// A value of a policy or an argument; RabbitMQ has more types than we set.
enum SettingJSON: Codable {
    case number(Int)
    case text(String)
    case other

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .other
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .other: try container.encodeNil()
        }
    }

    init(_ value: TopologyManifest.PolicyValue) {
        switch value {
        case .number(let number): self = .number(number)
        case .text(let text): self = .text(text)
        }
    }

    var value: TopologyManifest.PolicyValue {
        switch self {
        case .number(let number): .number(number)
        case .text(let text): .text(text)
        case .other: .text("something else")
        }
    }
}

struct ExchangeJSON: Decodable {
    var name: String
    var type: String
    var arguments: [String: SettingJSON]?

    /// The exchange of the manifest; nil for a type that Fanfare never creates.
    var value: TopologyManifest.Exchange? {
        guard let kind = TopologyManifest.Exchange.Kind(rawValue: type) else { return nil }
        var alternate: String?
        if case .text(let name) = arguments?["alternate-exchange"] { alternate = name }
        return TopologyManifest.Exchange(name: name, kind: kind, alternate: alternate)
    }
}

struct QueueJSON: Decodable {
    var name: String
    var type: String?
    var policy: String?
    /// The node that leads a quorum queue; absent or empty while there is none.
    var leader: String?
    var members: [String]?
    var online: [String]?

    /// The queue's nodes; nil for queues of other types, and while they are not known.
    var standing: ClusterStanding.Queue? {
        guard type == "quorum", let members, let online else { return nil }
        return ClusterStanding.Queue(name: name, leader: leader, members: Set(members), online: Set(online))
    }
}

/// A node of the cluster; one that does not run has little more than its name.
struct NodeJSON: Decodable {
    enum CodingKeys: String, CodingKey {
        case name, running, partitions
        case memoryAlarm = "mem_alarm"
        case diskAlarm = "disk_free_alarm"
    }

    var name: String
    var running: Bool?
    var partitions: [String]?
    var memoryAlarm: Bool?
    var diskAlarm: Bool?

    var value: ClusterStanding.Node {
        var alarms: Set<ClusterStanding.Resource> = []
        if memoryAlarm == true { alarms.insert(.memory) }
        if diskAlarm == true { alarms.insert(.disk) }
        return ClusterStanding.Node(
            name: name,
            isRunning: running == true,
            partedFrom: Set(partitions ?? []),
            alarms: alarms
        )
    }
}

/// A consumer; what is not known of it is absent.
struct ConsumerJSON: Decodable {
    struct Queue: Decodable {
        var name: String
    }

    struct Channel: Decodable {
        var node: String?
    }

    enum CodingKeys: String, CodingKey {
        case queue
        case channel = "channel_details"
    }

    var queue: Queue?
    var channel: Channel?

    /// Reads what is an object: RabbitMQ writes an empty array for details that it does not know.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        queue = try? container.decode(Queue.self, forKey: .queue)
        channel = try? container.decode(Channel.self, forKey: .channel)
    }

    /// The queue and the node that the consumer is connected to.
    var place: (queue: String, node: String)? {
        guard let queue, let node = channel?.node else { return nil }
        return (queue.name, node)
    }
}

struct BindingJSON: Decodable {
    enum CodingKeys: String, CodingKey {
        case source, destination, arguments
        case destinationType = "destination_type"
        case routingKey = "routing_key"
    }

    var source: String
    var destination: String
    var destinationType: String
    var routingKey: String
    var arguments: [String: SettingJSON]?

    var value: TopologyManifest.Binding {
        var header: TopologyManifest.Binding.Header?
        for (name, setting) in arguments ?? [:] where name != "x-match" {
            if case .text(let text) = setting { header = TopologyManifest.Binding.Header(name: name, value: text) }
        }
        return TopologyManifest.Binding(
            source: source,
            destination: destinationType == "queue" ? .queue(destination) : .exchange(destination),
            routingKey: routingKey,
            header: header
        )
    }
}

struct PolicyJSON: Codable {
    enum CodingKeys: String, CodingKey {
        case name, pattern, priority, definition
        case appliesTo = "apply-to"
    }

    var name: String
    var pattern: String
    var appliesTo: String
    var priority: Int
    var definition: [String: SettingJSON]

    init(_ queue: TopologyManifest.Queue) {
        name = queue.name
        pattern = TopologyManifest.policyPattern(queue: queue.name)
        appliesTo = "queues"
        priority = TopologyManifest.policyPriority
        definition = Dictionary(
            uniqueKeysWithValues: queue.policy.definition.map { ($0.key, SettingJSON($0.value)) }
        )
    }

    var value: ObservedTopology.Policy {
        ObservedTopology.Policy(
            name: name,
            pattern: pattern,
            appliesTo: appliesTo,
            priority: priority,
            definition: definition.mapValues(\.value)
        )
    }

    /// Returns the command for a person with a shell on the broker.
    func command(virtualHost: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = (try? encoder.encode(definition)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        return "rabbitmqctl set_policy -p '\(virtualHost)' --priority \(priority) --apply-to \(appliesTo) "
            + "'\(name)' '\(pattern)' '\(json)'"
    }
}

struct OverviewJSON: Decodable {
    enum CodingKeys: String, CodingKey {
        case version = "rabbitmq_version"
    }

    var version: String
}

/// A node's name and what runs on it.
struct NodeVersionJSON: Decodable {
    struct Application: Decodable {
        var name: String
        var version: String
    }

    var name: String
    /// Absent for a node that is down, and where metrics are not collected.
    var applications: [Application]?

    /// The node's name and version.
    var version: (String, String)? {
        applications?.first { $0.name == "rabbit" }.map { (name, $0.version) }
    }
}

struct FeatureFlagJSON: Decodable {
    var name: String
    var state: String
    var stability: String

    var value: BrokerVersions.Flag {
        BrokerVersions.Flag(name: name, state: state, stability: stability)
    }
}
