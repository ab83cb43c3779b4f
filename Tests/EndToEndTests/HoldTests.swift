import Campaigns
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Tests of `hold`, `fire` and `send_at`.
    @Suite("Hold and fire")
    struct Hold {
        @Test func `fired from two terminals at once, every device gets it once`() async throws {
            try await PrivateFleet.with { fleet in
                for _ in 1...2 { _ = try await fleet.startWorker() }
                try await fleet.putList("fans", TestDevices.tokens(10_000))
                try await fleet.publish(TestJob("derby", list: "fans").delivered(["hold": true, "ttl": 600]))
                try await eventually("its first shards are prepared") {
                    try await fleet.status("derby")?.pending.held ?? 0 > 0
                }
                #expect(try await fleet.status("derby")?.state == "held")
                #expect(fleet.simulator.statistics.requests == 0)
                async let one = fleet.run("campaign", "fire", "derby")
                async let two = fleet.run("campaign", "fire", "news/derby")
                for outcome in try await [one, two] { #expect(outcome.exit == 0, "\(outcome.errors)") }
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 10_000)
                try await fleet.expectOnce(status, 10_000)
                #expect(try await fleet.run("campaign", "fire", "derby").exit == 1)
            }
        }

        @Test func `a held campaign whose end comes ends expired without a request`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let end = TestClock.now().advanced(by: .seconds(4)).rfc3339
                let job = TestJob("derby", TestDevices.tokens(600))
                try await fleet.publish(job.delivered(["hold": true, "expires_at": .string(end)]))
                let status = try await fleet.completed("derby", within: .seconds(15))
                #expect(status.state == "completed" && status.stateReason == "it was never fired")
                #expect(status.counts.expired == 600)
                #expect(fleet.simulator.statistics.requests == 0)
            }
        }

        @Test func `a scheduled campaign begins at its instant, not before`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let due = TestClock.now().advanced(by: .seconds(3))
                let job = TestJob("derby", TestDevices.tokens(100))
                try await fleet.publish(job.delivered(["send_at": .string(due.rfc3339), "ttl": 600]))
                let waiting = try await eventually("it is accepted") { try await fleet.status("derby") }
                #expect(waiting.state == "scheduled" && waiting.expiresAt == due.advanced(by: .seconds(600)))
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 100)
                let started = try #require(status.startedAt)
                #expect(started >= due)
            }
        }
    }
}
