import Delivery
import Testing

@Suite("Cluster standing")
struct ClusterStandingTests {
    private let all: Set = ["a", "b", "c"]

    private func queues(_ leaders: [String?], online: Set<String>) -> ClusterStanding {
        ClusterStanding(
            queues: leaders.enumerated().map { number, leader in
                .init(name: "q\(number)", leader: leader, members: all, online: online)
            }
        )
    }

    @Test
    func `a queue with one of three members has no quorum, and the missing nodes are named`() {
        let standing = queues([nil, "a"], online: ["a"])
        #expect(standing.withoutQuorum == ["q0", "q1"])
        #expect(standing.missingNodes == ["b", "c"])
        #expect(standing.unevenLeaders.isEmpty)
    }

    @Test
    func `a queue with two of three members has its quorum`() {
        let standing = queues(["a"], online: ["a", "b"])
        #expect(standing.withoutQuorum.isEmpty)
        #expect(standing.missingNodes == ["c"])
    }

    @Test(arguments: [
        ("aaaaaa", ["a 6", "b 0", "c 0"]), ("aaabbb", ["a 3", "b 3", "c 0"]), ("aaaaabc", ["a 5", "b 1", "c 1"]),
        ("aaaabc", []), ("aabbcc", []), ("aaa", []),
    ])
    func `leaders are spread unless a node has none or more than twice its share`(leaders: String, told: [String]) {
        let standing = queues(leaders.map { String($0) }, online: all)
        #expect(standing.unevenLeaders.map { "\($0.node) \($0.leaders)" } == told)
    }

    @Test
    func `a single node has nothing to spread`() {
        let single = ClusterStanding.Queue(name: "q", leader: "a", members: ["a"], online: ["a"])
        #expect(ClusterStanding(queues: [single, single]).unevenLeaders.isEmpty)
    }
}
