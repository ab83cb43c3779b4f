import Delivery
import Testing

/// The faults that are told of a cluster, from what its management API says.
@Suite struct BrokerFaultsTests {
    private typealias Node = ClusterStanding.Node

    private let queues = ["p", "q"].map { name in
        ClusterStanding.Queue(name: name, leader: "a", members: ["a", "b", "c"], online: ["a", "b", "c"])
    }

    private func faults(_ nodes: [Node]) -> BrokerFaults {
        BrokerFaults(ClusterStanding(queues: queues, members: nodes))
    }

    @Test func `a whole cluster has none`() {
        let nodes = ["a", "b", "c"].map { Node(name: $0, isRunning: true) }
        #expect(faults(nodes).isEmpty && faults(nodes).problems.isEmpty)
        // The user may not see the nodes.
        #expect(faults([]).isEmpty)
    }

    @Test func `a node that is down is told at once, although its queues are told as of some seconds ago`() throws {
        let found = faults([
            Node(name: "a", isRunning: true), Node(name: "b", isRunning: false), Node(name: "c", isRunning: true),
        ])
        #expect(found.queues.isEmpty && found.missing == ["b"])
        let problem = try #require(found.problems.first)
        #expect(found.problems.count == 1 && problem.code == .brokerNode && problem.needsPerson)
        #expect(problem.cause.hasPrefix("b is missing"))
    }

    @Test func `without a majority the queues are the problem, and all missing nodes are named`() throws {
        let found = faults([
            Node(name: "a", isRunning: true), Node(name: "b", isRunning: false), Node(name: "c", isRunning: false),
        ])
        #expect(found.queues == ["p", "q"])
        let problem = try #require(found.problems.first)
        #expect(found.problems.count == 1 && problem.code == .brokerQuorum && problem.needsPerson)
        #expect(problem.cause.hasSuffix("b, c are missing"))
    }

    @Test func `a partition is told with its smaller side, which counts as missing until it is restarted`() {
        let found = faults([
            Node(name: "a", isRunning: true, partedFrom: ["c"]), Node(name: "b", isRunning: true, partedFrom: ["c"]),
            Node(name: "c", isRunning: false, partedFrom: ["a", "b"]),
        ])
        #expect(found.missing == ["c"])
        #expect(found.problems.map(\.code) == [.brokerPartition])
        #expect(found.problems.first?.cause.contains(", and c has not joined") == true)
        // A node that does not run tells of nothing, and may be the one that was parted.
        let silent = faults([
            Node(name: "a", isRunning: true, partedFrom: ["c"]), Node(name: "b", isRunning: true, partedFrom: ["c"]),
            Node(name: "c", isRunning: false),
        ])
        #expect(silent.parted == ["c"])
        let halves = faults([
            Node(name: "a", isRunning: true, partedFrom: ["b"]), Node(name: "b", isRunning: true, partedFrom: ["a"]),
            Node(name: "c", isRunning: true),
        ])
        #expect(halves.parted == ["a", "b"])
    }

    @Test func `an alarm is told with its nodes and resources`() {
        let found = faults([
            Node(name: "b", isRunning: true, alarms: [.disk, .memory]),
            Node(name: "a", isRunning: true, alarms: [.disk]),
        ])
        #expect(found.problems.map(\.code) == [.brokerAlarm])
        #expect(found.problems.first?.cause.hasSuffix("too little disk of a, memory of b, disk of b") == true)
    }

    @Test func `the consumers of a missing node do not count, and while none is missing AMQP counts right`() {
        let consumers = [(queue: "p", node: "a"), (queue: "p", node: "b"), (queue: "q", node: "b")]
        let torn = ClusterStanding(queues: queues, members: [Node(name: "b", isRunning: false)])
        #expect(torn.live(consumers) == ["p": 1, "q": 0])
        #expect(ClusterStanding(queues: queues).live(consumers) == nil)
    }
}
