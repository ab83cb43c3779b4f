/// The versions of a cluster's brokers, and which of their feature flags are off.
///
/// Pure: the caller asks RabbitMQ's management API.
public struct BrokerVersions: Sendable, Equatable {
    /// A feature flag, by which a cluster turns on what all of its nodes understand.
    public struct Flag: Sendable, Equatable {
        /// The flag's name.
        public var name: String
        /// RabbitMQ's word: `enabled`, `disabled`, or `unavailable` while a node does not know it.
        public var state: String
        /// RabbitMQ's word: `stable`, `experimental` or `required`.
        public var stability: String

        /// A flag.
        public init(name: String, state: String, stability: String) {
            (self.name, self.state, self.stability) = (name, state, stability)
        }
    }

    /// The version of each node that told it, by the node's name.
    public var nodes: [String: String]
    /// The flags that the cluster knows.
    public var flags: [Flag]

    /// The versions and flags of a cluster.
    public init(nodes: [String: String], flags: [Flag] = []) {
        (self.nodes, self.flags) = (nodes, flags)
    }

    /// The versions, each with its nodes, both sorted; a single entry unless an upgrade is under way.
    public var byVersion: [(version: String, nodes: [String])] {
        Dictionary(grouping: nodes.keys) { nodes[$0] ?? "" }
            .map { (version: $0.key, nodes: $0.value.sorted()) }
            .sorted { Self.numbers($0.version).lexicographicallyPrecedes(Self.numbers($1.version)) }
    }

    /// The flags that should be on and are off, sorted: those that are finished and that every node knows.
    ///
    /// The next release may require any of them, and then does not start where it is off. Experimental ones are the
    /// operator's choice.
    public var wantedFlags: [String] {
        flags.filter { $0.state == "disabled" && $0.stability != "experimental" }.map(\.name).sorted()
    }

    private static func numbers(_ version: String) -> [Int] {
        version.split { !$0.isNumber }.compactMap { Int($0) }
    }
}
