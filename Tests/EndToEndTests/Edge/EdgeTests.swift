import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Devices that register themselves, and their campaigns.
    @Suite("Edge")
    struct Edge {
        @Test func `a device that registers is sent to, one that denies alerts or goes is not`() async throws {
            try await PrivateFleet.with { fleet in
                let (edge, key) = try await fleet.startEdge()
                let words = [
                    "ana": "authorized", "ben": "denied", "cleo": "provisional",
                ]
                var phones: [String: Phone] = [:]
                for (token, word) in zip(TestDevices.tokens(3), words.sorted(by: { $0.key < $1.key })) {
                    let said = [JSONMember("permission", .string(word.value))]
                    phones[word.key] = try await Phone(id: word.key, token: token).registered(edge, key: key, said)
                }
                _ = try await fleet.startWorker()
                try await fleet.publish(Self.job("first"))
                let first = try await fleet.completed("first")
                #expect(first.counts.accepted == 2 && first.counts.skipped == 1, "\(first.counts)")
                let secret = try #require(phones["cleo"]?.secret)
                let gone = try await edge.ask("DELETE", "/v1/devices/cleo", bearer: secret)
                #expect(JSONReader.read(Array(gone.body)).value?["status"]?.string == "forgotten")
                try await fleet.publish(Self.job("second"))
                let second = try await fleet.completed("second")
                #expect(second.counts.accepted == 1 && second.counts.skipped == 1, "\(second.counts)")
            }
        }

        private static func job(_ id: String) -> TestJob {
            var job = TestJob(id, [])
            job.audience = ["everyone": true]
            return job
        }
    }
}
