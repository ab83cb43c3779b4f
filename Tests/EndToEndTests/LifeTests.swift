import Campaigns
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// The effects of operators and the clock on a campaign.
    @Suite("Life of a campaign")
    struct Life {
        @Test func `cancelled while half of it is on rungs, nothing is pending long before they are back`() async throws
        {
            let faults = ["rules": "5030=503", "retry_after": "100"]
            try await PrivateFleet.with(faults: faults) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", TestDevices.mixed(1500, prefix: "5030")))
                try await eventually("every other device is on the rung") {
                    try await fleet.waiting(on: .minutes2) == 6
                }
                let outcome = try await fleet.run("campaign", "cancel", "derby")
                #expect(outcome.exit == 0, "\(outcome.errors)")
                // The rungs' messages come back after two minutes.
                try await eventually("nothing is pending", within: .seconds(60)) {
                    try await fleet.status("derby")?.pending.total == 0
                }
                let status = try await fleet.completed("derby")
                #expect(status.state == "cancelled")
                #expect(status.counts.cancelled == 1500)
                #expect(try await fleet.devices("derby").differing.isEmpty)
                #expect(fleet.simulator.statistics.requests == 3000)
            }
        }

        @Test func `C5: cancelled in mid-campaign, every device is one or the other`() async throws {
            try await PrivateFleet.with(faults: ["latency": "20"]) { fleet in
                for _ in 1...2 { _ = try await fleet.startWorker() }
                try await fleet.putList("fans", TestDevices.tokens(30_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 2000)
                let outcome = try await fleet.run("campaign", "cancel", "news/derby")
                #expect(outcome.exit == 0, "\(outcome.errors)")
                try await eventually("nothing is pending") {
                    try await fleet.status("derby")?.pending.total == 0
                }
                let status = try await fleet.completed("derby")
                #expect(status.state == "cancelled")
                #expect(status.counts.cancelled > 0)
                #expect(status.counts.accepted >= 2000)
                #expect(status.counts.accepted + status.counts.cancelled == 30_000)
                let devices = try await fleet.devices("derby")
                #expect(devices.differing.isEmpty)
                #expect(UInt64(status.counts.accepted) == fleet.simulator.statistics.requests)
            }
        }

        @Test(.enabled(if: FullSuite.isOn))
        func `an app is paused in mid-campaign, what comes later waits as well, and all goes on once`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "20"]) { fleet in
                for _ in 1...2 { _ = try await fleet.startWorker() }
                try await fleet.putList("fans", TestDevices.tokens(30_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 2000)
                let unknown = try await fleet.run("pause", "--app", "newz")
                #expect(unknown.exit == 64 && unknown.errors.contains("newz"))
                let paused = try await fleet.run("pause", "--app", PrivateFleet.app)
                #expect(paused.exit == 0 && paused.output == "app news is paused\n", "\(paused.errors)")
                var job = TestJob("goal", TestDevices.tokens(3, prefix: "b")).delivered(["urgency": "urgent"])
                job.isUrgent = true
                try await fleet.publish(job)
                try await eventually("what ran is set aside and the urgent one waits") {
                    let (derby, goal) = (try await fleet.status("derby"), try await fleet.status("goal"))
                    return derby?.pending.sending == 0 && derby?.pending.held ?? 0 > 0 && goal?.state == "paused"
                }
                let before = fleet.simulator.statistics.requests
                #expect(try await fleet.status("goal")?.counts.total == 0)
                let shown = try await fleet.run("status")
                #expect(shown.output.contains("paused: app news since"))
                let resumed = try await fleet.run("resume")
                #expect(resumed.exit == 0 && resumed.output == "app news goes on\n", "\(resumed.errors)")
                #expect(try await fleet.completed("goal").counts.accepted == 3)
                #expect(try await fleet.completed("derby").counts.accepted == 30_000)
                #expect(before < 30_003)
                #expect(fleet.simulator.statistics.requests == 30_003)
            }
        }

        @Test func `C5: paused and resumed in mid-campaign, no device gets it twice`() async throws {
            try await PrivateFleet.with(faults: ["latency": "20"]) { fleet in
                for _ in 1...2 { _ = try await fleet.startWorker() }
                try await fleet.putList("fans", TestDevices.tokens(30_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 2000)
                let pause = try await fleet.run("campaign", "pause", "derby")
                #expect(pause.exit == 0, "\(pause.errors)")
                try await eventually("nothing is sent") {
                    let status = try await fleet.status("derby")
                    return status?.pending.sending == 0 && status?.pending.queued == 0
                }
                let paused = try #require(try await fleet.status("derby"))
                #expect(paused.state == "paused")
                #expect(paused.law == .holds)
                #expect(paused.pending.total > 0)
                let seen = fleet.simulator.statistics.requests
                #expect(UInt64(paused.counts.accepted) == seen)

                let resume = try await fleet.run("campaign", "resume", "derby")
                #expect(resume.exit == 0, "\(resume.errors)")
                #expect(try await fleet.completed("derby").counts.accepted == 30_000)
                #expect(try await fleet.devices("derby").differing.isEmpty)
                #expect(fleet.simulator.statistics.requests == 30_000)
            }
        }

        @Test func `C1: what expires on a rung is counted expired, and no request is made for it`() async throws {
            try await PrivateFleet.with(faults: ["rules": "4290=once-429"]) { fleet in
                _ = try await fleet.startWorker()
                // The rung ends over a second before the end at the earliest; the worker is gone by then.
                let job = TestJob("derby", TestDevices.mixed(300, prefix: "4290")).delivered(["ttl": 8])
                try await fleet.publish(job)
                try await eventually("it waits on the rung") { try await fleet.waiting(on: .seconds5) > 0 }
                _ = try await fleet.run("campaign", "pause", "derby")
                let status = try await fleet.completed("derby", within: .seconds(15))
                #expect(status.counts.expired == 300 && status.counts.accepted == 300)
                #expect(fleet.simulator.statistics.requests == 600)
                // A message that comes off the rung afterwards finds its row settled and is acked.
                try await eventually("rung and lane are empty") {
                    let inLane = try await fleet.broker { try await $0.counts(of: "fanfare.v1.work.apns.bulk")?.ready }
                    return try await fleet.waiting(on: .seconds5) == 0 && inLane == 0
                }
                #expect(try await fleet.status("derby") == status)
            }
        }

        @Test func `C1: a retry that could only come back too late is expired without another request`() async throws {
            let faults = ["rules": "5030=503", "retry_after": "20"]
            try await PrivateFleet.with(faults: faults) { fleet in
                _ = try await fleet.startWorker()
                let job = TestJob("derby", TestDevices.mixed(50, prefix: "5030") + TestDevices.tokens(50, prefix: "b"))
                try await fleet.publish(job.delivered(["ttl": 15]))
                let status = try await fleet.completed("derby", within: .seconds(10))
                #expect(status.state == "completed")
                #expect(status.counts.accepted == 100)
                #expect(status.counts.expired == 50)
                #expect(status.attempts == 150)
                #expect(try await fleet.devices("derby").differing.isEmpty)
            }
        }

        @Test func `a campaign whose time passes before anybody plans it ends expired`() async throws {
            try await PrivateFleet.with { fleet in
                let intake = try await fleet.startWorker(roles: "intake")
                try await fleet.publish(TestJob("derby", TestDevices.tokens(600)).delivered(["ttl": 2]))
                let accepted = try await eventually("it is accepted") { try await fleet.status("derby") }
                #expect(accepted.pending.unplanned == 600)
                try await eventually("its time is over") { TestClock.now() >= accepted.expiresAt }
                _ = try await fleet.startWorker()
                let status = try await fleet.completed("derby", within: .seconds(10))
                #expect(status.counts.expired == 600)
                #expect(status.attempts == 0)
                #expect(fleet.simulator.statistics.requests == 0)
                intake.terminate()
                #expect(try await intake.ended().exit == 0)
            }
        }
    }
}
