import Campaigns
import Delivery
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Campaigns with `per_second`.
    ///
    /// `fanfare bench rate` measures the requests per second. These tests check what holds on any machine, however
    /// slow: no device is lost or sent to twice, and nothing exceeds the rate.
    @Suite("Rates")
    struct Rates {
        /// Checks that a campaign took at least the time that its rate demands; longer is never wrong.
        private func lasted(_ fleet: PrivateFleet, _ id: String, atLeast seconds: Double) async throws {
            let status = try #require(try await fleet.status(id))
            let from = try #require(status.startedAt)
            let to = try #require(status.completedAt)
            #expect(to.since(from) >= .milliseconds(Int(seconds * 1000)), "\(id) took \(to.since(from))")
        }

        @Test func `two workers keep one rate, retries included, and no shard takes a rung`() async throws {
            // Devices with 2xx are sent to twice.
            try await PrivateFleet.with(faults: ["rules": "2=once-503"]) { fleet in
                let workers = [try await fleet.startWorker(), try await fleet.startWorker()]
                let tokens = TestDevices.mixed(200, prefix: "2") + TestDevices.tokens(1600, prefix: "b")
                try await fleet.putList("fans", tokens)
                try await fleet.publish(TestJob("derby", list: "fans").delivered(["per_second": 500]))
                try await eventually("half is sent") {
                    let status = try await fleet.status("derby")
                    #expect(status.map { $0.law == .holds } ?? true)
                    for rung in [Rung.seconds5, .seconds30] {
                        #expect(try await fleet.waiting(on: rung) == 0)
                    }
                    return (status?.counts.accepted ?? 0) > 1000
                }
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 2000)
                #expect(status.attempts == 2200)
                let devices = try await fleet.devices("derby")
                #expect(devices.differing.isEmpty)
                // 2,200 requests take 4.4 s; the slots of the last are not over when they are sent.
                try await lasted(fleet, "derby", atLeast: 3.9)
                #expect(workers.allSatisfy { $0.isRunning })
            }
        }

        @Test func `a worker killed under a rate leaves its turns to the other one`() async throws {
            try await PrivateFleet.with(faults: SmallFlight.faults) { fleet in
                let first = try await fleet.startSmallWorker()
                _ = try await fleet.startSmallWorker()
                try await fleet.putList("fans", TestDevices.tokens(3000))
                try await fleet.publish(TestJob("derby", list: "fans").delivered(["per_second": 600]))
                try await fleet.requests(reach: 900)
                let bound = try await first.metrics().repeatsMost
                first.kill()
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 3000)
                #expect(status.law == .holds)
                let devices = try await fleet.devices("derby")
                #expect(devices.allSatisfy { $0.outcome == .accepted && $0.accepted >= 1 })
                #expect(bound < 1000)
                #expect(devices.repeats <= bound + status.unknownResent)
                try await lasted(fleet, "derby", atLeast: 4.5)
            }
        }

        @Test func `a campaign without a rate is planned beside one whose turns are more than the window has places`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker(roles: "intake,planner")
                let sender = try await fleet.startWorker(roles: "sender")
                // At this rate they take two seconds, of which the sender has the first ones.
                try await fleet.putList("many", TestDevices.tokens(60_000))
                try await fleet.publish(TestJob("derby", list: "many").delivered(["per_second": 30_000]))
                // Until so many are answered, no more than 2,000 are in flight.
                try await fleet.requests(reach: 2100)
                // Then nobody sends: shards with a turn stay in the queue.
                sender.kill()
                try await eventually("the turns are given away") {
                    try await fleet.ledger.read { try $0.windowUse() }.contains { $0.firstAttempts > Window.floor }
                }
                try await fleet.publish(TestJob("late", TestDevices.tokens(100, prefix: "c")))
                try await eventually("the other one is planned") {
                    try await fleet.ledger.read { try $0.windowUse() }.contains { !$0.isPaced && $0.firstAttempts > 0 }
                }
                _ = try await fleet.startWorker(roles: "sender")
                for (id, count) in [("late", 100), ("derby", 60_000)] {
                    #expect(try await fleet.completed(id).counts.accepted == count)
                }
            }
        }

        @Test func `a rate is changed and taken away while the campaign runs`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(20_000))
                try await fleet.publish(TestJob("derby", list: "fans").delivered(["per_second": 50]))
                try await fleet.requests(reach: 20)
                let slower = try await fleet.run("campaign", "set", "derby", "--per-second", "100", "--json")
                #expect(slower.exit == 0, "\(slower.errors)")
                #expect(slower.output.contains("\"per_second\":100"))
                // At 100 a second it would take more than three minutes.
                let none = try await fleet.run("campaign", "set", "derby", "--per-second", "none")
                #expect(none.exit == 0, "\(none.errors)")
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 20_000)
                #expect(try await fleet.devices("derby").differing.isEmpty)
            }
        }

        @Test func `a paused campaign under a rate opens nothing, and a resumed one sends the rest once`() async throws
        {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(1500))
                try await fleet.publish(TestJob("derby", list: "fans").delivered(["per_second": 500]))
                try await fleet.requests(reach: 300)
                #expect(try await fleet.run("campaign", "pause", "derby").exit == 0)
                try await eventually("what is out has come back") {
                    let pending = try await fleet.status("derby")?.pending
                    return pending?.sending == 0 && pending?.queued == 0 || pending?.held ?? 0 > 0
                }
                #expect(try await fleet.run("campaign", "resume", "derby").exit == 0)
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 1500)
                #expect(try await fleet.devices("derby").differing.isEmpty)
                #expect(fleet.simulator.statistics.requests == 1500)
            }
        }
    }
}
