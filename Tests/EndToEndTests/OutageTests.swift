import Campaigns
import Delivery
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// The far side is out: the breaker.
    @Suite("Outages")
    struct Outages {
        private func storm(_ fleet: PrivateFleet, _ isOn: Bool) async throws {
            _ = try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                try faults.set("storm", to: isOn ? "true" : "false")
            }
        }

        private func breaker(_ fleet: PrivateFleet) async throws -> Breaker? {
            try await fleet.ledger.read { try $0.breaker(app: PrivateFleet.app, provider: .apns) }
        }

        @Test func `a storm of 503 opens the breaker, one worker probes, and all of it drains when it is over`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "5-20"]) { fleet in
                for _ in 1...2 { _ = try await fleet.startWorker() }
                try await fleet.putList("fans", TestDevices.tokens(40_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 3000)
                try await storm(fleet, true)
                try await eventually("the breaker is open and nothing runs") {
                    let status = try await fleet.status("derby")
                    return status?.stateReason == "breaker" && status?.pending.sending == 0
                        && status?.pending.queued == 0
                }
                let (before, probes) = (fleet.simulator.statistics.requests, try await breaker(fleet)?.failures ?? 0)
                try await eventually("more probes have failed") {
                    try await breaker(fleet)?.failures ?? 0 >= probes + 2
                }
                // A probe that fails is one request, on one connection of one worker.
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

        @Test func `what is set aside in an outage expires in time, without another request`() async throws {
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

        @Test func `the prober is killed, and another probes`() async throws {
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

        @Test func `a far side that nobody can connect to opens the breaker, and no device pays for it`() async throws {
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
                var configuration = APNsSimulator.Configuration()
                configuration.identity = first.identity
                configuration.port = first.port
                let second = try await APNsSimulator.start(configuration)
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.counts.accepted == 1000)
                #expect(status.attempts == 1000)
                #expect(second.statistics.requests == 1000)
                try await second.stop()
            }
        }
    }
}
