import Delivery
import Testing

@Suite("Versions of brokers")
struct BrokerVersionsTests {
    @Test func `versions are sorted as numbers, each with its nodes`() {
        let versions = BrokerVersions(nodes: ["a": "3.10.8", "b": "3.9.29", "c": "3.10.8"])
        #expect(versions.byVersion.map(\.version) == ["3.9.29", "3.10.8"])
        #expect(versions.byVersion.map(\.nodes) == [["b"], ["a", "c"]])
        #expect(BrokerVersions(nodes: [:]).byVersion.isEmpty)
    }

    @Test(arguments: [
        ("disabled", "stable", true), ("disabled", "required", true), ("disabled", "experimental", false),
        ("unavailable", "stable", false), ("enabled", "stable", false),
    ])
    func `a flag is wanted if it is finished, off, and known to every node`(
        state: String,
        stability: String,
        isWanted: Bool
    ) {
        let flag = BrokerVersions.Flag(name: "f", state: state, stability: stability)
        #expect(BrokerVersions(nodes: [:], flags: [flag]).wantedFlags == (isWanted ? ["f"] : []))
    }
}
