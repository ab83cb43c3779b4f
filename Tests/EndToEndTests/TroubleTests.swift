import Campaigns
import Delivery
import Foundation
import Glibc
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// The results of campaigns under combined faults of the provider, the operator and the fleet.
    @Suite("Trouble")
    struct Trouble {
        @Test func `a peer that refuses, resets and says goodbye all the time gets every push`() async throws {
            // More refused streams than a worker may have unflushed answers.
            let faults = ["goaway_every": "200", "refuse": "0.2", "reset": "0.002", "latency": "1-10"]
            try await PrivateFleet.with(faults: faults) { fleet in
                for _ in 1...2 { _ = try await fleet.startWorker() }
                try await fleet.putList("fans", TestDevices.tokens(15_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 15_000)
                #expect(fleet.simulator.statistics.refused > 4000)
                let devices = try await fleet.devices("derby")
                #expect(devices.allSatisfy { $0.outcome == .accepted && $0.accepted >= 1 })
                #expect(devices.allSatisfy { $0.attempts == $0.requests }, "\(devices.differing.prefix(5))")
            }
        }

        @Test func `with on_unknown drop a killed worker's devices get it at most once`() async throws {
            try await PrivateFleet.with(faults: SmallFlight.faults) { fleet in
                let first = try await fleet.startSmallWorker()
                try await fleet.putList("fans", TestDevices.tokens(10_000))
                try await fleet.publish(TestJob("derby", list: "fans").delivered(["on_unknown": "drop"]))
                try await fleet.requests(reach: 2000)
                let metrics = try await first.metrics()
                // The given-up devices are those that may have been sent to: unanswered, uncommitted, or before the
                // mark of a running shard, which moves when half of its lead is used.
                let marked = metrics.sum("fanfare_shards_running") * ShardRun.markAhead * 3 / 2
                let bound = metrics.repeatsMost + marked
                first.kill()
                _ = try await fleet.startSmallWorker()
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.counts.accepted + status.counts.failed == 10_000)
                #expect(bound < 5000)
                #expect(status.counts.failed <= bound)
                let devices = try await fleet.devices("derby")
                #expect(devices.allSatisfy { $0.requests <= 1 })
                #expect(devices.allSatisfy { $0.outcome != .accepted || $0.accepted == 1 })
                if status.counts.failed > 0 { #expect(status.reasons["Unknown"] == status.counts.failed) }
            }
        }

        @Test(.enabled(if: FullSuite.isOn))
        func `one worker after the other killed, and the campaign completes`() async throws {
            try await PrivateFleet.with(faults: SmallFlight.faults.merging(["once_503": "0.05"]) { $1 }) { fleet in
                try await fleet.putList("fans", TestDevices.tokens(20_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                var bound = 0
                for round in 1...5 {
                    let worker = try await fleet.startSmallWorker()
                    try await fleet.requests(reach: round * 2500)
                    bound += try await worker.metrics().repeatsMost
                    worker.kill()
                }
                _ = try await fleet.startSmallWorker()
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.counts.accepted == 20_000)
                let devices = try await fleet.devices("derby")
                #expect(devices.allSatisfy { $0.accepted >= 1 })
                #expect(devices.unseen <= status.unknownResent)
                #expect(bound < 5000)
                #expect(devices.repeats <= bound + status.unknownResent)
            }
        }

        @Test
        func `D4: a frozen worker loses its shards; awake, it ends the turn that stood still, and writes nothing`()
            async throws
        {
            try await PrivateFleet.with(faults: SmallFlight.faults) { fleet in
                let frozen = try await fleet.startSmallWorker()
                let other = try await fleet.startSmallWorker()
                try await fleet.putList("fans", TestDevices.tokens(20_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 3000)
                let metrics = try await frozen.metrics()
                let bound = metrics.repeatsMost
                try await fleet.freeze(frozen)
                let since = ContinuousClock.now
                let status = try await fleet.completed("derby", within: .seconds(90))
                #expect(status.counts.accepted == 20_000)
                if FullSuite.isOn { try await lasting(since + .seconds(60) - ContinuousClock.now) }
                let requests = fleet.simulator.statistics.requests
                frozen.signal(SIGCONT)
                other.kill()
                // The worker works as before.
                try await fleet.publish(TestJob("second", TestDevices.tokens(600, prefix: "b")))
                #expect(try await fleet.completed("second").counts.accepted == 600)
                #expect(try await fleet.status("derby") == status)
                let devices = try await fleet.devices("derby")
                #expect(devices.allSatisfy { $0.accepted >= 1 })
                #expect(bound < 1000)
                #expect(devices.repeats <= bound + status.unknownResent)
                // A turn of its loop that stood still behind its look at the lease goes on, with one window of streams.
                let most = requests + 600 + UInt64(metrics.inFlightMost)
                #expect((requests + 600...most).contains(fleet.simulator.statistics.requests))
                #expect(frozen.isRunning)
            }
        }

        @Test func `D6: a worker frozen in a write transaction makes the others wait, and nobody is lost or repeated`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "100", "streams": "100"]) { fleet in
                let frozen = try await fleet.startWorker()
                let other = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(30_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 2000)
                try await fleet.freezeWriting(frozen)
                // Longer than a transaction waits for its turn: all writes of the other worker are refused and wait.
                try await eventually("the other is told busy") { other.errors.contains("keeps the ledger") }
                // Nobody can report, so each looks dead to the other although neither is; the other worker gets the
                // frozen one's messages.
                try await PrivateBroker.node()
                    .rabbitmqctl("close_all_connections", "--vhost", fleet.endpoint.virtualHost, "test")
                try await eventually("both have been silent for too long") {
                    try await fleet.ledger.read { try $0.liveWorkers(now: fleet.ledger.now()) }.isEmpty
                }
                frozen.signal(SIGCONT)
                let status = try await fleet.completed("derby", within: .seconds(90))
                #expect(status.counts.accepted == 30_000)
                let devices = try await fleet.devices("derby")
                #expect(devices.differing.isEmpty, "\(devices.differing.prefix(3))")
                #expect(frozen.isRunning && other.isRunning)
            }
        }

        @Test func `D7: a worker that may open no more files sends over the connections that it has`() async throws {
            try await PrivateFleet.with(faults: ["latency": "50", "streams": "20"]) { fleet in
                let worker = try await fleet.startWorker()
                try await fleet.publish(TestJob("warm", TestDevices.tokens(500, prefix: "b")))
                #expect(try await fleet.completed("warm").counts.accepted == 500)
                let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(worker.pid)/fd").count
                // Room for two more besides the reserve; the campaign would need dozens of connections.
                let most = open + DescriptorReserve.reserve + 2
                try Self.limitFiles(worker, to: most, hard: 1024)
                try await fleet.putList("fans", TestDevices.tokens(10_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                #expect(try await fleet.completed("derby").counts.accepted == 10_000)
                #expect(try await fleet.devices("derby").differing.isEmpty)
                #expect(worker.isRunning)
                // There is room again, and it did try to open more.
                try Self.limitFiles(worker, to: 1024, hard: 1024)
                let metrics = try await worker.metrics()
                #expect(metrics.sum("fanfare_connection_events_total", #"event="connect_failure""#) > 0)
                #expect(metrics.sum("fanfare_connections", #"state="ready""#) <= most)
            }
        }

        /// Changes the number of files that a process may have open.
        private static func limitFiles(_ process: FanfareProcess, to soft: Int, hard: Int) throws {
            let limit = try Process.run(
                URL(fileURLWithPath: "/usr/bin/prlimit"),
                arguments: ["--pid", "\(process.pid)", "--nofile=\(soft):\(hard)"]
            )
            limit.waitUntilExit()
            #expect(limit.terminationStatus == 0)
        }

        @Test func `refused credentials pause a campaign with every device pending, and resume sends to each once`()
            async throws
        {
            try await PrivateFleet.with(faults: ["rules": "cafe=InvalidProviderToken"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", TestDevices.tokens(1000, prefix: "cafe")))
                try await eventually("the campaign is paused") {
                    let status = try await fleet.status("derby")
                    return status?.pausedBy == [.breaker, .credentials] && status?.pending.held == 1000
                }
                _ = try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                    try faults.set("rules", to: "")
                }
                _ = try await fleet.run("campaign", "resume", "derby")
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 1000)
                let devices = try await fleet.devices("derby")
                #expect(devices.differing.isEmpty)
                #expect(devices.allSatisfy { $0.accepted == 1 })
            }
        }

        @Test(.enabled(if: FullSuite.isOn), .hurtsItsBroker)
        func `a broker killed while everything is on a rung keeps it`() async throws {
            try await PrivateFleet.with(faults: ["rules": "4290=once-429"]) { fleet in
                let node = try await PrivateBroker.node()
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", TestDevices.tokens(1500, prefix: "4290")))
                try await eventually("everything is on the rung") { try await fleet.waiting(on: .seconds5) == 3 }
                node.kill()
                try await node.restart()
                // A message that the broker forwards from a rung before the work queue has a leader is forwarded again
                // after its timeout, which is half a minute on these nodes.
                let status = try await fleet.completed("derby", within: .seconds(300))
                #expect(status.counts.accepted == 1500)
                let devices = try await fleet.devices("derby")
                #expect(devices.differing.isEmpty)
                #expect(devices.allSatisfy { $0.requests == 2 })
            }
        }

        @Test func `a peer that goes away in mid-campaign and comes back gets the rest`() async throws {
            try await PrivateFleet.with(faults: SmallFlight.faults) { fleet in
                let worker = try await fleet.startSmallWorker()
                try await fleet.putList("fans", TestDevices.tokens(10_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 2000)
                let first = fleet.simulator
                let bound = try await worker.metrics().inFlightMost
                try await first.stop()
                var configuration = PushSimulator.Configuration()
                configuration.identity = first.identity
                configuration.port = first.port
                let second = try await PushSimulator.start(configuration)
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.counts.accepted == 10_000)
                let devices = try await fleet.devices("derby")
                #expect(devices.count == 10_000)
                var twice = 0
                for device in devices {
                    let later = second.counts(ofToken: device.token)
                    #expect(device.accepted + later.accepted >= 1)
                    #expect(device.requests + later.requests <= device.attempts)
                    twice += device.accepted + later.accepted - 1
                }
                // The requests in flight when it went away.
                #expect(bound < 1000 && twice <= bound)
                try await second.stop()
            }
        }

        @Test func `paused while everything is on rungs, it waits, and goes on when it is resumed`() async throws {
            try await PrivateFleet.with(faults: ["rules": "4290=once-429"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", TestDevices.tokens(1000, prefix: "4290")))
                try await eventually("everything is on the rung") { try await fleet.waiting(on: .seconds5) == 2 }
                #expect(try await fleet.run("campaign", "pause", "derby").exit == 0)
                try await eventually("everything is set aside") {
                    try await fleet.status("derby")?.pending.held == 1000
                }
                #expect(fleet.simulator.statistics.requests == 1000)
                #expect(try await fleet.run("campaign", "resume", "derby").exit == 0)
                #expect(try await fleet.completed("derby").counts.accepted == 1000)
                #expect(try await fleet.devices("derby").differing.isEmpty)
            }
        }

        @Test func `devices that fail as often as they may end failed`() async throws {
            try await PrivateFleet.with(faults: ["rules": "5030=500"]) { fleet in
                _ = try await fleet.startWorker()
                let job = TestJob("derby", TestDevices.tokens(50) + TestDevices.tokens(10, prefix: "5030"))
                try await fleet.publish(job.delivered(["max_attempts": 2]))
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 50)
                #expect(status.counts.failed == 10)
                #expect(status.reasons["InternalServerError"] == 10)
                #expect(status.attempts == 70)
                #expect(try await fleet.devices("derby").differing.isEmpty)
            }
        }

        @Test func `C10: an urgent job does not wait behind a bulk campaign`() async throws {
            try await PrivateFleet.with(faults: ["latency": "50"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(40_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 1000)
                var job = TestJob("alarm", TestDevices.tokens(3, prefix: "b")).delivered(["urgency": "urgent"])
                job.isUrgent = true
                try await fleet.publish(job)
                #expect(try await fleet.completed("alarm").counts.accepted == 3)
                #expect(try #require(try await fleet.status("derby")).pending.total > 0)
                #expect(try await fleet.completed("derby").counts.accepted == 40_000)
                #expect(fleet.simulator.statistics.requests == 40_003)
            }
        }

        @Test func `an urgent job does not wait for streams behind bulk shards of its app`() async throws {
            // Twenty devices a second per connection: the bulk shards alone would take over a minute.
            try await PrivateFleet.with(faults: ["latency": "50", "streams": "1"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(4000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 5)
                var job = TestJob("alarm", TestDevices.tokens(3, prefix: "b")).delivered(["urgency": "urgent"])
                job.isUrgent = true
                try await fleet.publish(job)
                #expect(try await fleet.completed("alarm").counts.accepted == 3)
                #expect(try #require(try await fleet.status("derby")).pending.total > 2000)
            }
        }

        @Test func `a quiet worker takes no work until it is told to go on`() async throws {
            try await PrivateFleet.with { fleet in
                let worker = try await fleet.startWorker()
                try await fleet.publish(TestJob("first", TestDevices.tokens(10)))
                _ = try await fleet.completed("first")
                worker.signal(SIGTSTP)
                try await eventually("nobody takes campaigns") {
                    try await fleet.broker { try await $0.counts(of: BrokerNames.campaignsQueue)?.consumers == 0 }
                }
                try await fleet.publish(TestJob("second", TestDevices.tokens(10, prefix: "b")))
                #expect(try await fleet.status("second") == nil)
                worker.signal(SIGCONT)
                #expect(try await fleet.completed("second").counts.accepted == 10)
                worker.terminate()
                #expect(try await worker.ended(within: .seconds(30)).exit == 0)
            }
        }
    }
}
