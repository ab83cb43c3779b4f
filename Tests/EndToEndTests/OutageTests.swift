import Campaigns
import Delivery
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Outages of the provider: the breaker.
    @Suite("Outages")
    struct Outages {
        private func storm(_ fleet: PrivateFleet, _ isOn: Bool) async throws {
            try await set(fleet, "storm", isOn ? "true" : "false")
        }

        private func set(_ fleet: PrivateFleet, _ fault: String, _ value: String) async throws {
            _ = try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                try faults.set(fault, to: value)
            }
        }

        private func breaker(_ fleet: PrivateFleet, app: String = PrivateFleet.app) async throws -> Breaker? {
            try await fleet.ledger.read { try $0.breaker(app: app, provider: .apns) }
        }

        /// Waits until all shards of a campaign wait for the breaker.
        private func isSetAside(_ fleet: PrivateFleet, _ reason: String = "breaker") async throws {
            try await eventually("the breaker is open and nothing runs") {
                let status = try await fleet.status("derby")
                return status?.stateReason == reason && status?.pending.sending == 0 && status?.pending.queued == 0
            }
        }

        @Test func `P11: a storm of 503 opens the breaker, one worker probes, and all of it drains when it is over`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "5-20"]) { fleet in
                for _ in 1...2 { _ = try await fleet.startWorker() }
                try await fleet.putList("fans", TestDevices.tokens(40_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 3000)
                try await storm(fleet, true)
                try await isSetAside(fleet)
                let shown = try await fleet.run("campaign", "status", "derby", "--json")
                #expect(shown.output.contains(#""state":"paused","state_reason":"breaker""#), "\(shown.output)")
                let (before, probes) = (fleet.simulator.statistics.requests, try await breaker(fleet)?.failures ?? 0)
                try await eventually("more probes have failed") {
                    try await breaker(fleet)?.failures ?? 0 >= probes + 2
                }
                // A failed probe is one request, on one connection of one worker.
                #expect(fleet.simulator.statistics.requests - before <= 4)
                let look = try await fleet.run("status", "--json")
                #expect(look.output.contains("news apns: ServiceUnavailable"), "\(look.output)\(look.errors)")

                try await storm(fleet, false)
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.counts.accepted == 40_000)
                let devices = try await fleet.devices("derby")
                #expect(devices.differing.isEmpty, "\(devices.differing.prefix(3))")
                #expect(devices.allSatisfy { $0.accepted == 1 })
                let onTheLadder = try await fleet.retryDevices("derby")
                #expect(onTheLadder < 400, "\(onTheLadder) devices were on the ladder")
                #expect(try await breaker(fleet)?.isOpen == false)
            }
        }

        @Test func `P11: what is set aside in an outage expires in time, without another request`() async throws {
            try await PrivateFleet.with(faults: ["storm": "true"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", TestDevices.tokens(2000)).delivered(["ttl": 8]))
                let status = try await fleet.completed("derby", within: .seconds(25))
                #expect(status.counts.expired == 2000)
                #expect(try await fleet.devices("derby").differing.isEmpty)
                let last = try #require(status.completedAt)
                #expect(last < status.expiresAt.advanced(by: .seconds(3)))
            }
        }

        @Test(arguments: ["0.3", "0.5"])
        func `a share of 503 is the ladder's, whatever the order of the answers`(_ share: String) async throws {
            try await PrivateFleet.with(faults: ["once_503": share]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(8_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 8_000)
                #expect(try await breaker(fleet) == nil)
                let devices = try await fleet.devices("derby")
                #expect(devices.differing.isEmpty, "\(devices.differing.prefix(3))")
            }
        }

        @Test func `a probe that is told 429 has found the provider up`() async throws {
            try await PrivateFleet.with(faults: ["storm": "true"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", TestDevices.tokens(1000)))
                try await isSetAside(fleet)
                try await set(fleet, "rules", "a=once-429")
                try await storm(fleet, false)
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 1000)
                // The first answer that was no fault closed it: devices not tried during the storm got a 429.
                #expect(try await breaker(fleet)?.isOpen == false)
                #expect(fleet.simulator.statistics.reasons["TooManyRequests", default: 0] > 500)
                let devices = try await fleet.devices("derby")
                #expect(devices.differing.isEmpty, "\(devices.differing.prefix(3))")
            }
        }

        @Test func `an operator's pause outlasts the breaker's`() async throws {
            try await PrivateFleet.with(faults: ["storm": "true"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", TestDevices.tokens(1000)))
                try await isSetAside(fleet)
                #expect(try await fleet.run("campaign", "pause", "derby").exit == 0)
                try await storm(fleet, false)
                // A paused campaign gets no probe; another one of its app does.
                try await fleet.publish(TestJob("second", TestDevices.tokens(600, prefix: "b")))
                #expect(try await fleet.completed("second").counts.accepted == 600)
                #expect(try await breaker(fleet)?.isOpen == false)
                let paused = try #require(try await fleet.status("derby"))
                #expect(paused.state == "paused" && paused.stateReason == "paused")
                #expect(paused.pending.total == 1000 && paused.pending.sending == 0)
                #expect(try await fleet.run("campaign", "resume", "derby").exit == 0)
                #expect(try await fleet.completed("derby").counts.accepted == 1000)
            }
        }

        @Test(.enabled(if: FullSuite.isOn))
        func `another app goes on while one is out`() async throws {
            try await PrivateFleet.with(faults: ["rules": "bad=ServiceUnavailable", "latency": "5"]) { fleet in
                try fleet.writeApps([("news", "SIMKEY0001"), ("sport", "SIMKEY0002")])
                let listener = try await EventListener(fleet)
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(20_000, prefix: "bad"))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await isSetAside(fleet)
                var job = TestJob("derby", TestDevices.tokens(6000))
                job.app = "sport"
                try await fleet.publish(job)
                // The same lane and worker: no shard of the other app blocks it.
                #expect(try await fleet.completed("derby", app: "sport").counts.accepted == 6000)
                #expect(try await breaker(fleet)?.isOpen == true)
                #expect(try await breaker(fleet, app: "sport") == nil)
                #expect(try await fleet.status("derby")?.stateReason == "breaker")

                try await set(fleet, "rules", "")
                #expect(try await fleet.completed("derby", within: .seconds(120)).counts.accepted == 20_000)
                for type in ["app.suspended", "app.resumed"] {
                    let event = try await listener.events(type, of: nil).first
                    #expect(event?.json["data"]?["app"]?.string == "news")
                    #expect(event?.json["data"]?["provider"]?.string == "apns")
                }
                await listener.close()
            }
        }

        @Test(.enabled(if: FullSuite.isOn))
        func `the prober is killed, and another probes`() async throws {
            try await PrivateFleet.with(faults: ["storm": "true", "latency": "300"]) { fleet in
                let workers = [try await fleet.startWorker(), try await fleet.startWorker()]
                try await fleet.publish(TestJob("derby", TestDevices.tokens(3000)))
                let ids = try await fleet.ledger.read { try $0.liveWorkers(now: TestClock.now()) }
                let prober = try await eventually("a worker probes") {
                    let owner = try await breaker(fleet)?.probe?.owner
                    return ids.first { $0.id == owner }
                }
                workers.first { prober.name.hasSuffix(".\($0.pid)") }?.kill()
                try await storm(fleet, false)
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.counts.accepted == 3000)
                #expect(try await fleet.devices("derby").allSatisfy { $0.accepted == 1 && $0.requests >= $0.attempts })
            }
        }

        @Test func `a peer that nobody can connect to opens the breaker, and no device pays for it`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let first = fleet.simulator
                try await first.stop()
                try await fleet.publish(TestJob("derby", TestDevices.tokens(1000)))
                try await eventually("the breaker is open") {
                    let status = try await fleet.status("derby")
                    return status?.stateReason == "breaker" && status?.pending.held == 1000
                }
                #expect(try await breaker(fleet)?.reason == "NoConnection")
                var configuration = PushSimulator.Configuration()
                configuration.identity = first.identity
                configuration.port = first.port
                let second = try await PushSimulator.start(configuration)
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.counts.accepted == 1000)
                #expect(status.attempts == 1000)
                #expect(second.statistics.requests == 1000)
                try await second.stop()
            }
        }
    }
}
