import Campaigns
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Repeated campaigns.
    @Suite("Repeated campaigns")
    struct Repeats {
        private static func job(_ cron: String, zone: String = "Europe/Madrid") -> TestJob {
            TestJob("daily", TestDevices.tokens(20)).delivered([
                "ttl": 50, "repeat": .object(["cron": .string(cron), "time_zone": .string(zone)]),
            ])
        }

        private static func status(_ id: String, in fleet: PrivateFleet) async throws -> JSONValue {
            let outcome = try await fleet.run("campaign", "status", id, "--json")
            #expect(outcome.exit == 0, "\(outcome.errors)")
            return try #require(JSONReader.read(Array(outcome.output.utf8)).value)
        }

        @Test func `it is scheduled, says what comes next, and obeys its operator`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                try await fleet.publish(Self.job("0 9 1 * *"))
                try await eventually("it is there") { try await fleet.status("daily") != nil }
                var shown = try await Self.status("daily", in: fleet)
                #expect(shown["state"] == "scheduled" && shown["audience"] == .number(JSONNumber(0)))
                #expect(shown["repeat"]?["cron"] == "0 9 1 * *" && shown["runs"] == .array([]))
                let next = try Timestamp(rfc3339: try #require(shown["repeat"]?["next_at"]?.string))
                #expect(next > TestClock.now() && shown["expires_at"] == .null)
                let text = try await fleet.run("campaign", "status", "daily")
                #expect(text.output.contains("0 9 1 * * (Europe/Madrid)") && text.output.contains(next.rfc3339))
                let paused = try await fleet.run("campaign", "pause", "daily")
                #expect(paused.output.contains("no run is made until it is resumed"))
                shown = try await Self.status("daily", in: fleet)
                #expect(shown["state"] == "paused")
                #expect(try await fleet.run("campaign", "resume", "daily").exit == 0)
                #expect(try await fleet.run("campaign", "cancel", "daily").exit == 0)
                let over = try await fleet.completed("daily")
                #expect(over.state == "cancelled" && over.law == .holds && over.repetition?.nextAt == nil)
                #expect(fleet.simulator.statistics.requests == 0)
                try await fleet.publish(TestJob("never", []).delivered(["repeat": .object(["cron": "0 9 * * *"])]))
                let refused = try await fleet.run("campaign", "fire", "daily")
                #expect(refused.exit == 1)
            }
        }

        /// Cron counts in minutes, so this test takes some.
        @Test(.enabled(if: FullSuite.isOn))
        func `each minute has one run over two workers, also when one is killed`() async throws {
            try await PrivateFleet.with { fleet in
                let first = try await fleet.startWorker()
                _ = try await fleet.startWorker()
                try await fleet.publish(Self.job("* * * * *"))
                func runs() async throws -> [RunStatus] {
                    try await fleet.status("daily")?.repetition?.runs ?? []
                }
                try await eventually("a run", within: .seconds(90)) { try await runs().count == 1 }
                first.kill()
                try await eventually("a second run", within: .seconds(90)) { try await runs().count == 2 }
                _ = try await fleet.startWorker()
                try await eventually("a third run", within: .seconds(90)) { try await runs().count == 3 }
                // Cancelling a campaign also cancels the rest of its run.
                let last = try #require(try await runs().map(\.at).max())
                _ = try await fleet.completed(Job.runID("daily", at: last))
                #expect(try await fleet.run("campaign", "cancel", "daily").exit == 0)
                let status = try await fleet.completed("daily")
                let made = status.repetition?.runs.reversed().map(\.at) ?? []
                #expect(made.count == 3 && status.repetition?.missedAt == nil)
                #expect(zip(made, made.dropFirst()).allSatisfy { $0.advanced(by: .seconds(60)) == $1 })
                for at in made {
                    let run = try await fleet.completed(Job.runID("daily", at: at))
                    #expect(run.counts.accepted == 20 && run.law == .holds && run.runOf == "daily")
                    #expect(try #require(run.startedAt) < at.advanced(by: .seconds(5)))
                    #expect(try #require(run.startedAt) >= at)
                }
                for token in TestDevices.tokens(20) {
                    #expect(fleet.simulator.counts(ofToken: token).requests == 3)
                }
            }
        }

        /// Quiet hours count in minutes, so this test takes two.
        @Test(.enabled(if: FullSuite.isOn))
        func `a slow campaign stops when quiet hours begin and goes on when they end`() async throws {
            try await PrivateFleet.with { fleet in
                for _ in 1...2 { _ = try await fleet.startWorker() }
                let now = TestClock.now()
                let begins = Timestamp(milliseconds: (now.seconds / 60 + (now.seconds % 60 > 45 ? 2 : 1)) * 60_000)
                let ends = begins.advanced(by: .seconds(60))
                func clock(_ instant: Timestamp) -> JSONValue {
                    .string(QuietHours.text(Int(instant.seconds % 86_400) / 60))
                }
                // Devices without quiet hours now go on: in Kathmandu it is a quarter to.
                let count = Int(begins.seconds - now.seconds) * 5 + 150
                var job = TestJob("slow", [])
                job.audience = .object([
                    "devices": .array(
                        (TestDevices.tokens(count, prefix: "1").map { ($0, "UTC") }
                            + TestDevices.tokens(10, prefix: "2").map { ($0, "Asia/Kathmandu") })
                            .map { .object(["token": .string($0.0), "time_zone": .string($0.1)]) }
                    )
                ])
                let delivery: KeyValuePairs<String, JSONValue?> = [
                    "per_second": 5, "ttl": 3600, "quiet_hours": .object(["from": clock(begins), "to": clock(ends)]),
                ]
                try await fleet.publish(job.delivered(delivery))
                try await eventually("quiet hours", within: .seconds(120)) {
                    TestClock.now() > begins.advanced(by: .milliseconds(200))
                }
                func sent() -> Int {
                    TestDevices.tokens(count, prefix: "1").reduce(0) {
                        $0 + Int(fleet.simulator.counts(ofToken: $1).requests)
                    }
                }
                let before = sent()
                #expect(before > 5 && before < count)
                var isMore = false
                try await eventually("the end of quiet hours", within: .seconds(120)) {
                    let isOver = TestClock.now() >= ends
                    if !isOver, sent() != before { isMore = true }
                    let status = try await fleet.status("slow")
                    #expect(status?.law == .holds)
                    return isOver
                }
                #expect(!isMore)
                let status = try await fleet.completed("slow", within: .seconds(240))
                #expect(status.counts.accepted == count + 10 && status.law == .holds)
                #expect(try await fleet.devices("slow").differing.isEmpty)
                #expect(fleet.simulator.statistics.requests == UInt64(count + 10))
            }
        }
    }
}
