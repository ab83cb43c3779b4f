import Campaigns
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Collapsing in the queue.
    @Suite("Collapse")
    struct Collapse {
        private func score(_ text: String, optsOut: Bool = false) -> TestJob {
            var job = TestJob(text.replacing(":", with: "-"), list: "fans")
            job.content = .object(["title": .string(text)])
            return job.delivered(["collapse_id": "derby", "supersede": optsOut ? .bool(false) : nil])
        }

        /// Returns the scores by device, in the order in which the simulator saw them.
        private func scores(_ fleet: PrivateFleet) throws -> [String: [String]] {
            var seen: [String: [String]] = [:]
            for request in fleet.simulator.lastRequests {
                let payload = try #require(JSONReader.read(request.payload).value)
                let title = try #require(payload["aps"]?["alert"]?["title"]?.string)
                seen[request.path, default: []].append(title)
            }
            return seen
        }

        private func checkOrder(_ fleet: PrivateFleet) throws {
            let seen = try scores(fleet)
            #expect(seen.values.contains { $0.contains("2:0") })
            for (path, titles) in seen {
                let newest = titles.firstIndex(of: "2:0") ?? titles.endIndex
                #expect(!titles[newest...].contains("1:0"), "\(path): \(titles)")
            }
        }

        @Test func `1:0 is never sent after 2:0, and the rest of it ends superseded`() async throws {
            let faults = ["rules": "5030=503", "retry_after": "1"]
            try await PrivateFleet.with(faults: faults, requestsKept: 20_000) { fleet in
                for _ in 1...2 { _ = try await fleet.startWorker() }
                try await fleet.putList("fans", TestDevices.mixed(1000, prefix: "5030"))
                try await fleet.publish(score("1:0"))
                try await eventually("half of the devices wait for another try") {
                    try await fleet.status("1-0")?.pending.retrying ?? 0 > 500
                }
                try await fleet.publish(score("2:0"))
                let first = try await fleet.completed("1-0")
                #expect(first.state == "completed" && first.supersededBy == "2-0")
                #expect(first.counts.superseded == 1000 && first.counts.accepted == 1000)
                try await eventually("the second has reached everybody once") {
                    try await fleet.status("2-0")?.counts.accepted == 1000
                }
                _ = try await fleet.run("campaign", "cancel", "2-0")
                #expect(try await fleet.completed("2-0").counts.accepted == 1000)
                try checkOrder(fleet)
            }
        }

        @Test func `in mid-campaign over two workers, no request of the old one follows the new one`() async throws {
            try await PrivateFleet.with(faults: ["latency": "30"], requestsKept: 40_000) { fleet in
                for _ in 1...2 { _ = try await fleet.startWorker() }
                try await fleet.putList("fans", TestDevices.tokens(15_000))
                try await fleet.publish(score("1:0"))
                try await fleet.requests(reach: 3000)
                try await fleet.publish(score("2:0"))
                #expect(try await fleet.completed("2-0").counts.accepted == 15_000)
                let first = try await fleet.completed("1-0")
                #expect(first.counts.superseded > 0)
                #expect(first.counts.superseded + first.counts.accepted == 15_000)
                try checkOrder(fleet)
            }
        }

        @Test func `with supersede false both go their way`() async throws {
            try await PrivateFleet.with(faults: ["latency": "30"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(3000))
                try await fleet.publish(score("1:0", optsOut: true))
                try await fleet.publish(score("2:0"))
                #expect(try await fleet.completed("1-0").counts.accepted == 3000)
                #expect(try await fleet.completed("2-0").counts.accepted == 3000)
            }
        }
    }
}
