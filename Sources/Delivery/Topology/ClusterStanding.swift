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

    /// A node as the one that was asked sees it.
    public struct Node: Sendable, Equatable {
        /// The node's name, such as `rabbit@host`.
        public var name: String
        /// True if it is there and runs.
        public var isRunning: Bool
        /// The nodes from which a partition has parted it, also after they see each other again.
        public var partedFrom: Set<String>
        /// The resources of which it has too little.
        public var alarms: Set<Resource>

        /// A node.
        public init(name: String, isRunning: Bool, partedFrom: Set<String> = [], alarms: Set<Resource> = []) {
            (self.name, self.isRunning, self.partedFrom, self.alarms) = (name, isRunning, partedFrom, alarms)
        }
    }

    /// A resource whose lack makes the whole cluster refuse publishes.
    public enum Resource: String, Sendable, CaseIterable {
        /// Memory above the watermark.
        case memory
        /// Free disk below the limit.
        case disk
    }

    /// The fleet's quorum queues.
    public let queues: [Queue]
    /// All nodes of the cluster; empty if the user may not see them.
    public let members: [Node]

    /// A standing of these queues and nodes.
    ///
    /// Queues are told as of some seconds ago, and nodes as of now: who is down answers for no queue.
    public init(queues: [Queue], members: [Node] = []) {
        let down = Set(members.filter { !$0.isRunning }.map(\.name))
        self.members = members
        self.queues = queues.map { queue in
            var queue = queue
            queue.online.subtract(down)
            return queue
        }
    }

    /// The nodes that have copies of queues.
    public var nodes: Set<String> { queues.reduce(into: []) { $0.formUnion($1.members) } }

    /// The queues without a majority, sorted by name.
    public var withoutQuorum: [String] { queues.filter { !$0.hasQuorum }.map(\.name).sorted() }

    /// The nodes that are down, or have copies of queues and do not answer for some of them, sorted.
    public var missingNodes: [String] {
        let down = Set(members.filter { !$0.isRunning }.map(\.name))
        return queues.reduce(into: down) { $0.formUnion($1.members.subtracting($1.online)) }.sorted()
    }

    /// The nodes that a partition has parted from most of the others, sorted; all that it has parted if no side is
    /// smaller.
    ///
    /// A node that does not run tells of no partition itself: what the others tell counts for both ends.
    public var partedNodes: [String] {
        var partedFrom: [String: Set<String>] = [:]
        for node in members {
            for other in node.partedFrom {
                partedFrom[node.name, default: []].insert(other)
                partedFrom[other, default: []].insert(node.name)
            }
        }
        let smaller = partedFrom.filter { $0.value.count * 2 > members.count - 1 }
        return (smaller.isEmpty ? partedFrom : smaller).keys.sorted()
    }

    /// Returns the number of each queue's consumers that are connected to a node which is there; nil if no node is
    /// missing.
    ///
    /// A queue keeps the consumers of a node that is down until it is back, and counts them over AMQP.
    public func live(_ consumers: [(queue: String, node: String)]) -> [String: Int]? {
        let missing = Set(missingNodes)
        guard !missing.isEmpty else { return nil }
        let none = Dictionary(queues.map { ($0.name, 0) }) { first, _ in first }
        return consumers.filter { !missing.contains($0.node) }.reduce(into: none) { $0[$1.queue, default: 0] += 1 }
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
