import Campaigns
import Delivery
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// The effects of answers about single tokens (the list of provider faults, P13 and P17).
    @Suite("ProviderAnswers")
    struct ProviderAnswers {
        @Test func `P13: a device that is throttled takes its rung, and the others go on`() async throws {
            try await PrivateFleet.with(faults: ["rules": "4290=once-429"]) { fleet in
                _ = try await fleet.startWorker()
                let throttled = try #require(TestDevices.tokens(1, prefix: "4290").first)
                let others = TestDevices.tokens(499)
                try await fleet.publish(TestJob("derby", others + [throttled]))
                try await eventually("a shard on the rung") { try await fleet.waiting(on: .seconds5) == 1 }
                let waiting = try #require(try await fleet.status("derby"))
                #expect(waiting.counts.accepted == 499 && waiting.pending.retrying == 1)
                #expect(waiting.pausedBy.isEmpty)
                let rows = try await fleet.rows("derby")
                #expect(rows.map(\.count) == [500, 1] && rows.last?.attempt == 2)
                // Neither another campaign of the app nor its other devices wait for it.
                try await fleet.publish(TestJob("second", TestDevices.tokens(500, prefix: "b") + others))
                let second = try await fleet.completed("second")
                #expect(second.counts.accepted == 999 && second.attempts == 999)

                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 500 && status.attempts == 501)
                let devices = try await fleet.devices("derby")
                #expect(devices.filter { $0.attempts == 2 }.map(\.token) == [throttled])
                #expect(fleet.simulator.counts(ofToken: throttled) == (2, 1, 0))
                #expect(fleet.simulator.statistics.reasons == ["TooManyRequests": 1])
            }
        }

        @Test func `P17: a token that is dead or bad is invalid once, and a dead one is left out from then on`()
            async throws
        {
            let faults = ["rules": "dead=dead,e4b=expired,bad=bad-token", "dead_since": "60"]
            try await PrivateFleet.with(faults: faults) { fleet in
                let first = try await fleet.startWorker()
                let dead = TestDevices.tokens(20, prefix: "dead") + TestDevices.tokens(20, prefix: "e4b")
                let bad = TestDevices.tokens(10, prefix: "bad")
                let alive = TestDevices.tokens(950)
                try await fleet.putList("fans", alive + dead + bad)
                try await fleet.publish(TestJob("first", list: "fans"))
                let status = try await fleet.completed("first")
                #expect(status.counts.accepted == 950 && status.counts.invalid == 50)
                #expect(status.attempts == 1000)
                #expect(status.reasons == ["Unregistered": 20, "ExpiredToken": 20, "BadDeviceToken": 10])
                let devices = try await fleet.devices("first")
                #expect(devices.allSatisfy { $0.attempts == 1 && $0.requests == 1 })
                #expect(Set(devices.filter { $0.outcome == .invalid }.map(\.token)) == Set(dead + bad))

                // The ledger remembers, not the worker.
                first.terminate()
                _ = try await first.ended()
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("second", list: "fans"))
                let second = try await fleet.completed("second")
                #expect(second.counts.accepted == 950 && second.counts.invalid == 50)
                #expect(dead.allSatisfy { fleet.simulator.counts(ofToken: $0).requests == 1 })
                #expect(bad.allSatisfy { fleet.simulator.counts(ofToken: $0).requests <= 2 })
            }
        }
    }
}
