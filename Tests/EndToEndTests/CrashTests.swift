import Campaigns
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// The results of campaigns when processes die.
    @Suite("Dying")
    struct Dying {
        @Test func `D1: a worker killed in mid-campaign leaves it to the other one`() async throws {
            try await PrivateFleet.with(faults: SmallFlight.faults) { fleet in
                let first = try await fleet.startSmallWorker()
                _ = try await fleet.startSmallWorker()
                try await fleet.putList("fans", TestDevices.tokens(20_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 3000)
                let bound = try await first.metrics().repeatsMost
                first.kill()
                #expect(fleet.simulator.statistics.requests < 18_000)

                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.counts.accepted == 20_000)
                #expect(status.pending.total == 0)
                let devices = try await fleet.devices("derby")
                #expect(devices.count == 20_000)
                #expect(devices.allSatisfy { $0.outcome == .accepted && $0.accepted >= 1 })
                #expect(devices.unseen <= status.unknownResent)
                // Streams in flight and uncommitted answers (design, section 7).
                #expect(bound < 1000)
                #expect(devices.repeats <= bound + status.unknownResent)
            }
        }

        @Test func `all workers killed while everything is on a rung, one started again`() async throws {
            try await PrivateFleet.with(faults: ["rules": "4290=once-429"]) { fleet in
                let workers = [try await fleet.startWorker(), try await fleet.startWorker()]
                try await fleet.publish(TestJob("derby", TestDevices.tokens(1500, prefix: "4290")))
                try await eventually("everything is on the rung") {
                    try await fleet.waiting(on: .seconds5) == 3
                }
                for worker in workers { worker.kill() }
                #expect(try await fleet.status("derby")?.pending.retrying == 1500)
                _ = try await fleet.startWorker()
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 1500)
                #expect(status.attempts == 3000)
                let devices = try await fleet.devices("derby")
                #expect(devices.differing.isEmpty)
                #expect(devices.allSatisfy { $0.requests == 2 })
            }
        }

        @Test func `D3: a worker that is told to end in mid-campaign repeats nothing and costs no delivery count`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "20"]) { fleet in
                try await fleet.tapped { tap in
                    let first = try await fleet.startWorker()
                    try await fleet.putList("fans", TestDevices.tokens(20_000))
                    try await fleet.publish(TestJob("derby", list: "fans"))
                    try await fleet.requests(reach: 3000)
                    first.terminate()
                    #expect(fleet.simulator.statistics.requests < 17_000)
                    _ = try await fleet.startWorker()
                    let outcome = try await first.ended(within: .seconds(30))
                    #expect(outcome.exit == 0 && !outcome.isSignalled)
                    let status = try await fleet.completed("derby", within: .seconds(120))
                    #expect(status.counts.accepted == 20_000)
                    #expect(try await fleet.devices("derby").differing.isEmpty)
                    #expect(fleet.simulator.statistics.requests == 20_000)
                    let again = tap.notes.filter { if case .redelivered = $0 { true } else { false } }
                    #expect(again.isEmpty, "\(again.prefix(3))")
                }
            }
        }

        @Test(arguments: [false, true])
        func `an urgent job whose worker dies is finished by another`(isSent: Bool) async throws {
            try await PrivateFleet.with(faults: ["rules": "a=stall"]) { fleet in
                let first = try await fleet.startWorker()
                var job = TestJob("alarm", TestDevices.tokens(3)).delivered(["urgency": "urgent"])
                job.isUrgent = true
                try await fleet.publish(job)
                try await eventually("it is accepted") { try await fleet.status("alarm") != nil }
                // One stream until the first answer, as at Apple: the first device is sent to, the others wait.
                if isSent { try await eventually("no answer comes") { fleet.simulator.statistics.stalled > 0 } }
                first.kill()
                try await fleet.simulator.changeFaults { faults throws(FaultsError) in try faults.set("rules", to: "") }
                _ = try await fleet.startWorker()
                let status = try await fleet.completed("alarm")
                #expect(status.counts.accepted == 3)
                let devices = try await fleet.devices("alarm")
                #expect(devices.allSatisfy { $0.accepted == 1 })
                #expect(devices.allSatisfy { (1...2).contains($0.requests) })
                if isSent { #expect(devices.contains { $0.requests == 2 }) }
            }
        }

        @Test(.hurtsItsBroker) func `B2: a broker killed in mid-campaign loses nothing`() async throws {
            try await PrivateFleet.with(faults: SmallFlight.faults) { fleet in
                let node = try await PrivateBroker.node()
                let workers = [try await fleet.startSmallWorker(), try await fleet.startSmallWorker()]
                try await fleet.putList("fans", TestDevices.tokens(20_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 3000)
                var bound = 0
                for worker in workers { bound += try await worker.metrics().inFlightMost }
                node.kill()
                #expect(fleet.simulator.statistics.requests < 18_000)
                try await node.restart()
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.counts.accepted == 20_000)
                let devices = try await fleet.devices("derby")
                #expect(devices.count == 20_000)
                #expect(devices.allSatisfy { $0.outcome == .accepted && $0.accepted >= 1 })
                // The requests that both had in flight when they lost their lease; together they held the whole
                // audience.
                #expect(bound < 1000)
                #expect(devices.repeats <= bound + status.unknownResent)
                #expect(workers.allSatisfy { $0.isRunning })
            }
        }
    }
}
