import Campaigns
import Delivery
import NIOCore
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// The fate of shards whose worker loses its connection or dies.
    @Suite("Taking over")
    struct TakingOver {
        @Test func `B21: connections that flap while answers are late have nobody pushed twice, and park nothing`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "8000"]) { fleet in
                try await fleet.tapped { tap in
                    let workers = [try await fleet.startWorker(), try await fleet.startWorker()]
                    try await fleet.putList("fans", TestDevices.tokens(3_000))
                    tap.flap(every: .seconds(2))
                    try await fleet.publish(TestJob("derby", list: "fans"))
                    let status = try await fleet.completed("derby", within: .seconds(180))
                    #expect(tap.steady() > 6)
                    #expect(status.counts.accepted == 3_000)
                    #expect(status.attempts == 3_000 && status.maybeSent == 0)
                    let devices = try await fleet.devices("derby")
                    #expect(devices.count == 3_000 && devices.repeats == 0, "\(devices.repeats) repeats")
                    #expect(fleet.simulator.statistics.requests == 3_000)
                    #expect(try await fleet.ledger.read { try $0.parked(limit: 10) }.isEmpty)
                    #expect(workers.allSatisfy { $0.isRunning })
                }
            }
        }

        @Test func `B21: a message that comes back again and again is renewed before the queue's limit parks it`()
            async throws
        {
            // A shard that takes a minute.
            try await PrivateFleet.with(faults: ["latency": "3000", "streams": "5"]) { fleet in
                try await fleet.tapped { tap in
                    _ = try await fleet.startWorker()
                    try await fleet.putList("fans", TestDevices.tokens(100))
                    tap.flap(every: .milliseconds(300))
                    try await fleet.publish(TestJob("derby", list: "fans"))
                    try await eventually("its shard has another message", within: .seconds(180)) {
                        try await fleet.ledger.read { reader in
                            try reader.shard(ShardKey(campaign: 1, part: 0, ordinal: 0))?.generation ?? 1 > 1
                        }
                    }
                    #expect(tap.steady() >= Claim.returnsUntilRenewed)
                    let status = try await fleet.completed("derby", within: .seconds(180))
                    #expect(status.counts.accepted == 100)
                    #expect(try await fleet.devices("derby").repeats == 0)
                    #expect(try await fleet.ledger.read { try $0.parked(limit: 10) }.isEmpty)
                }
            }
        }

        @Test func `what waits for a dead worker keeps nothing else from being sent, and what it may have sent stays`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "300", "streams": "25"]) { fleet in
                let first = try await fleet.startWorker()
                // As many shards as a worker takes.
                try await fleet.putList("fans", TestDevices.tokens(32_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 4_000)
                // Most of them are left while the other one starts.
                try await Self.answers(of: fleet, after: 8_000)
                let second = try await fleet.startWorker()
                first.kill()
                try await eventually("the other one has its messages, and waits") {
                    try await second.metrics().sum("fanfare_claims_total", #"decision="waits""#) > 0
                }
                try await Self.answers(of: fleet, after: 0)
                let queue = BrokerNames.workQueue(Lane(provider: .apns, urgency: .bulk))
                try await eventually("it consumes the queue once more") {
                    try await fleet.broker { try await $0.counts(of: queue)?.consumers ?? 0 } >= 2
                }
                try await fleet.putList("few", TestDevices.tokens(500, prefix: "ff"))
                try await fleet.publish(TestJob("news", list: "few"))
                #expect(try await fleet.completed("news").counts.accepted == 500)

                let status = try await fleet.completed("derby", within: .seconds(180))
                #expect(status.counts.accepted == 32_000)
                // The number sent is unknown; the report leaves room for all of them.
                let requests = Int(fleet.simulator.statistics.requests) - 500
                #expect(status.maybeSent > 0 && requests > status.attempts)
                #expect(requests <= status.attempts + status.maybeSent)
                #expect(try await second.metrics().sum("fanfare_maybe_sent_total") == status.maybeSent)
            }
        }

        private static func answers(of fleet: PrivateFleet, after milliseconds: Int) async throws {
            try await fleet.simulator.changeFaults { faults throws(FaultsError) in
                try faults.set("latency", to: "\(milliseconds)")
            }
        }

        @Test func `a worker that does not send leaves urgent jobs to one that does`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker(roles: "intake,planner")
                var job = TestJob("alarm", TestDevices.tokens(3)).delivered(["urgency": "urgent"])
                job.isUrgent = true
                try await fleet.publish(job)
                try await eventually("its shard waits for a sender") {
                    try await fleet.status("alarm")?.pending.queued == 3
                }
                #expect(fleet.simulator.statistics.requests == 0)
                _ = try await fleet.startWorker(roles: "sender")
                #expect(try await fleet.completed("alarm").counts.accepted == 3)
            }
        }
    }
}
