/// The places of the fleet's queues on a cluster of brokers: which nodes have them, which of those answer, which lead.
///
/// Pure: the caller asks RabbitMQ's management API. A node that lives without a majority still takes connections and
/// answers a passive declaration with no messages and no consumers, so AMQP alone cannot tell it from an idle queue.
public struct ClusterStanding: Sendable, Equatable {
    /// A quorum queue's nodes.
    public struct Queue: Sendable, Equatable {
        /// The queue's name.
        public var name: String
        /// The node that leads it; nil if it has no leader.
        public var leader: String?
        /// The nodes that have a copy.
        public var members: Set<String>
        /// The members that answer now.
        public var online: Set<String>

        /// A queue.
        public init(name: String, leader: String?, members: Set<String>, online: Set<String>) {
            (self.name, self.leader, self.members, self.online) = (name, leader, members, online)
        }

        /// True if a majority of its members answers: without one a quorum queue neither takes nor gives messages.
        public var hasQuorum: Bool { online.intersection(members).count * 2 > members.count }
    }

    /// The fleet's quorum queues.
    public var queues: [Queue]

    /// A standing of these queues.
    public init(queues: [Queue]) {
        self.queues = queues
    }

    /// The nodes that have copies of queues.
    public var nodes: Set<String> { queues.reduce(into: []) { $0.formUnion($1.members) } }

    /// The queues without a majority, sorted by name.
    public var withoutQuorum: [String] { queues.filter { !$0.hasQuorum }.map(\.name).sorted() }

    /// The nodes that have copies of queues and do not answer for some of them, sorted.
    public var missingNodes: [String] {
        queues.reduce(into: Set<String>()) { $0.formUnion($1.members.subtracting($1.online)) }.sorted()
    }

    /// The number of leaders of each node, by name, if they are not spread; empty if they are.
    ///
    /// They are not when a node leads none, as after it was away, or more than twice its even share. Nothing is said
    /// while a node is missing, because leaders cannot be spread then, and of fewer queues than two for each node.
    public var unevenLeaders: [(node: String, leaders: Int)] {
        let nodes = nodes
        guard nodes.count > 1, queues.count >= 2 * nodes.count, missingNodes.isEmpty else { return [] }
        let leaders = Dictionary(grouping: queues.compactMap(\.leader), by: \.self).mapValues(\.count)
        let counts = nodes.sorted().map { (node: $0, leaders: leaders[$0] ?? 0) }
        let isUneven = counts.contains { $0.leaders == 0 || $0.leaders * nodes.count > 2 * queues.count }
        return isUneven ? counts : []
    }
}
