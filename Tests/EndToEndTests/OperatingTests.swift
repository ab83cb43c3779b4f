import Campaigns
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// An operator's commands on a running fleet, and the guards.
    @Suite("Operating")
    struct Operating {
        private func json(_ text: String) throws -> JSONValue {
            try #require(JSONReader.read(Array(text.utf8)).value)
        }

        @Test func `another end in mid-campaign is what the provider is told, and everybody gets it once`() async throws
        {
            try await PrivateFleet.with(faults: ["latency": "20"]) { fleet in
                for _ in 1...2 { _ = try await fleet.startWorker() }
                try await fleet.putList("fans", TestDevices.tokens(15_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 1000)
                let end = Timestamp(milliseconds: TestClock.now().seconds * 1000).advanced(by: .seconds(9000))
                let set = try await fleet.run("campaign", "set", "derby", "--expires-at", end.rfc3339)
                #expect(set.exit == 0, "\(set.errors)")
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 15_000 && status.expiresAt == end)
                let last = fleet.simulator.lastRequests.suffix(20).map { $0.headers["apns-expiration"] }
                #expect(last.allSatisfy { $0 == String(end.seconds) }, "\(last)")
                #expect(try await fleet.devices("derby").differing.isEmpty)
                #expect(fleet.simulator.statistics.requests == 15_000)
            }
        }

        @Test func `an earlier end in mid-campaign expires the rest`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(5000))
                try await fleet.publish(TestJob("derby", list: "fans").delivered(["per_second": 200]))
                try await fleet.requests(reach: 200)
                let end = TestClock.now().advanced(by: .seconds(2))
                let set = try await fleet.run("campaign", "set", "derby", "--expires-at", end.rfc3339)
                #expect(set.exit == 0, "\(set.errors)")
                let status = try await fleet.completed("derby")
                #expect(status.counts.expired > 3000 && status.counts.accepted + status.counts.expired == 5000)
                #expect(try await fleet.devices("derby").differing.isEmpty)
            }
        }

        @Test func `under a rate, too, content that is refused pauses, and resumed twice goes on to its end`()
            async throws
        {
            try await PrivateFleet.with(faults: ["rules": "a=BadTopic"]) { fleet in
                _ = try await fleet.startWorker()
                let audience = 4500
                try await fleet.putList("fans", TestDevices.tokens(audience))
                // 45 devices per shard: no run alone can detect it.
                try await fleet.publish(TestJob("derby", list: "fans").delivered(["per_second": 180]))
                var failed = 0
                for round in 1...2 {
                    try await eventually("the campaign is paused, round \(round)") {
                        let status = try await fleet.status("derby")
                        return status?.stateReason == "content" && status?.pending.sending == 0
                    }
                    let paused = try #require(try await fleet.status("derby"))
                    // It decides at 200 in settled shards. What follows until the pause is seen is the rate's, for as
                    // long as a worker waits for its turn on this machine; eleven seconds leave most of it unsent.
                    #expect(paused.counts.failed >= failed + 200 && paused.counts.failed <= failed + 2000)
                    #expect(paused.reasons["BadTopic"] == paused.counts.failed && paused.law == .holds)
                    failed = paused.counts.failed
                    let shown = try await fleet.run("status")
                    #expect(shown.exit == 1 && shown.output.contains("news/derby is paused until somebody fixes it"))
                    #expect(try await fleet.run("campaign", "resume", "derby").exit == 0)
                }
                let fast = try await fleet.run("campaign", "set", "derby", "--per-second", "5000")
                #expect(fast.exit == 0, "\(fast.errors)")
                let status = try await fleet.completed("derby")
                #expect(status.counts.failed == audience)
                let events = try await fleet.run("campaign", "events", "derby")
                #expect(events.output.contains("for example BadTopic"))
                #expect(try await fleet.devices("derby").allSatisfy { $0.requests == 1 })
            }
        }

        @Test func `trace says what a device got, with the id that the provider saw`() async throws {
            try await PrivateFleet.with(faults: ["rules": "5030=once-503"]) { fleet in
                _ = try await fleet.startWorker()
                let tokens = TestDevices.tokens(20) + TestDevices.tokens(1, prefix: "5030")
                try await fleet.publish(TestJob("derby", tokens))
                _ = try await fleet.completed("derby")
                let token = try #require(tokens.last)
                let outcome = try await fleet.run("device", "trace", token, "--app", "news", "--json")
                let trace = try #require(try json(outcome.output).array?.first)
                #expect(trace["outcome"]?.string == "accepted" && trace["requests"]?.integer == 2)
                #expect(trace["reason"]?.string == "ServiceUnavailable")
                let seen = fleet.simulator.lastRequests.filter { $0.path.hasSuffix(token) }.map {
                    $0.headers["apns-id"]
                }
                #expect(seen.count == 2 && seen.allSatisfy { $0 == trace["provider_id"]?.string })
                let attempts = try #require(trace["attempts"]?.array)
                #expect(attempts.map { $0["result"]?.string } == ["retry after 5s", "accepted"])
                let times = ["planned_at", "first_request_at", "last_answer_at", "settled_at"].map {
                    trace[$0]?.string ?? ""
                }
                #expect(times == times.sorted() && !times.contains(""))
                let watched = try await fleet.run("campaign", "watch", "derby")
                #expect(watched.exit == 0 && watched.output.contains("completed, 21 of 21"))
            }
        }
    }
}
