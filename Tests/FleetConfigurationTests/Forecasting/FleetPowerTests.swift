import Campaigns
import Delivery
import Testing

@testable import Operations

/// The speed of the workers, by what live ones report.
@Suite struct FleetPowerTests {
    private let now = Timestamp(milliseconds: 1_790_000_000_000)

    private func worker(
        _ sending: WorkerHealth.Sending?,
        roles: [String] = ["sender"],
        app: String = "news",
        secondsAgo: Int64 = 1
    ) -> WorkerRecord {
        var health = WorkerHealth()
        health.sending = sending
        return WorkerRecord(
            id: 1,
            name: "a.1",
            roles: roles,
            accounts: AppAccounts([app: [.apns]]),
            startedAt: now,
            seenAt: now.advanced(by: .seconds(-secondsAgo)),
            health: health
        )
    }

    private func power(_ workers: [WorkerRecord]) -> FleetPower {
        FleetPower(workers, app: "news", provider: .apns, now: now)
    }

    @Test func `live senders with the app's account count, with their loops and answers`() {
        let power = power([
            worker(.init(loops: 2, latencies: [.apns: 0.05])), worker(.init(loops: 6, latencies: [.apns: 0.15])),
            worker(.init(loops: 9), roles: ["intake"]), worker(.init(loops: 9), app: "shop"),
            worker(.init(loops: 9), secondsAgo: 60),
        ])
        #expect(power.workers == 2 && power.loops == 8 && power.isReported)
        #expect(power.latency.map { abs($0 - 0.1) < 1e-9 } == true)
    }

    @Test func `a worker that does not say, or none at all, is taken for one of four cores`() {
        #expect(power([worker(nil)]).loops == 4 && !power([worker(nil)]).isReported)
        #expect(power([]).loops == 4 && power([]).workers == 0)
    }

    @Test func `Apple's connections allow what Little's law says, and a slow answer less`() throws {
        let metrics = CapacityMetrics(push: ["sending": 3], ledger: 0.5, source: "")
        func connections(_ latency: Double) throws -> ForecastLimit {
            let power = power([worker(.init(loops: 2, latencies: [.apns: latency]))])
            return try #require(power.limits(.apns, metrics).first { $0.kind == .connections(64) })
        }
        // 64 connections with 1,000 requests each, answered after 60 ms.
        #expect(Int(try connections(0.06).rate.perSecond) == 1_066_666)
        #expect(try connections(0.06).basis == .measured)
        #expect(try connections(0.6).rate.perSecond < connections(0.06).rate.perSecond)
        let workers = power([worker(.init(loops: 2))]).limits(.apns, metrics).first { $0.kind == .workers(loops: 2) }
        #expect(workers.map { Int($0.rate.perSecond.rounded()) } == 400_000 && workers?.basis == .assumed)
    }
}
