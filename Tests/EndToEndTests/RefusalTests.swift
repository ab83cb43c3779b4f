import AMQP
import Campaigns
import Delivery
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// Refused or unreadable jobs, and valid ones beside them.
    @Suite("Refusing")
    struct Refusing {
        /// A refused job, the pointer of its fault, and the same job fixed.
        private struct Case {
            let job: TestJob
            let pointer: String
            let fixed: TestJob
        }

        private static let device = TestDevices.tokens(1)

        private static var cases: [Case] {
            func job(_ id: String) -> TestJob { TestJob(id, device) }
            return [
                Case(
                    job: job("field").delivered(["expire_at": "2030-01-01T00:00:00Z"]),
                    pointer: "/delivery/expire_at",
                    fixed: job("field").delivered(["ttl": 600])
                ),
                Case(
                    job: TestJob("token", device + ["not-a-token"]),
                    pointer: "/audience/devices/1/token",
                    fixed: job("token")
                ),
                Case(
                    job: job("collapse").delivered(["collapse_id": .string(String(repeating: "c", count: 65))]),
                    pointer: "/delivery/collapse_id",
                    fixed: job("collapse").delivered(["collapse_id": .string(String(repeating: "c", count: 64))])
                ),
                Case(
                    job: job("past").delivered(["expires_at": "2020-01-01T00:00:00Z"]),
                    pointer: "/delivery/expires_at",
                    fixed: job("past").delivered([
                        "expires_at": .string(TestClock.now().advanced(by: .seconds(600)).rfc3339)
                    ])
                ),
                Case(job: TestJob("nobody", []), pointer: "/audience/devices", fixed: job("nobody")),
            ]
        }

        @Test func `a job that cannot be sent is told, kept, parked, and taken when it is fixed`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let listener = try await EventListener(fleet)
                for one in Self.cases { try await fleet.publish(one.job) }
                for one in Self.cases {
                    let refusal = try await listener.events("campaign.refused", of: one.job.id)
                    #expect(refusal.map(\.pointers) == [[one.pointer]])
                    #expect(refusal[0].json["subject"]?.string == one.job.id)
                    try await isKept(fleet, one.job.id, refusal[0])
                }
                #expect(fleet.simulator.statistics.requests == 0)
                for one in Self.cases { try await fleet.publish(one.fixed) }
                for one in Self.cases {
                    _ = try await listener.events("campaign.accepted", of: one.job.id)
                    #expect(try await fleet.completed(one.job.id).counts.accepted == 1)
                    #expect(try await fleet.ledger.read { try $0.refusal(app: "news", id: one.job.id) } == nil)
                }
                await listener.close()
            }
        }

        /// Checks that the ledger and parked record the same refusal as the event.
        private func isKept(_ fleet: PrivateFleet, _ id: String, _ refusal: EventListener.Heard) async throws {
            let kept = try #require(try await fleet.ledger.read { try $0.refusal(app: "news", id: id) })
            #expect(JSONReader.read(kept).value?["errors"] == refusal.json["data"]?["errors"])
            let parked = try await eventually("\(id) is parked") {
                try await fleet.parked().first { $0.campaign == id }
            }
            #expect(parked.reason == "InvalidJob")
            #expect(parked.queue == BrokerNames.campaignsQueue)
            #expect(JSONReader.read(Array(parked.errors.utf8)).value == refusal.json["data"]?["errors"])
        }

        @Test func `a payload of 4096 bytes arrives, one of 4097 is refused`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let listener = try await EventListener(fleet)
                func job(_ id: String, _ length: Int) -> TestJob {
                    var job = TestJob(id, Self.device)
                    job.content = .object(["body": .string(String(repeating: "x", count: length))])
                    return job
                }
                try await fleet.publish(job("small", 100))
                _ = try await fleet.completed("small")
                let small = try #require(fleet.simulator.lastRequests.last?.payload.count)
                let most = 4096 - small + 100
                try await fleet.publish(job("full", most))
                _ = try await fleet.completed("full")
                #expect(fleet.simulator.lastRequests.last?.payload.count == 4096)
                try await fleet.publish(job("over", most + 1))
                let refusal = try await listener.events("campaign.refused", of: "over")
                #expect(refusal[0].pointers == ["/content"])
                #expect(refusal[0].json["data"]?["errors"]?.array?.first?["code"] == "payload_too_large")
                try await isKept(fleet, "over", refusal[0])
                #expect(fleet.simulator.statistics.requests == 2)
                await listener.close()
            }
        }

        @Test func `garbage on both kinds of queues is parked with its reason, and what is beside it completes`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "5"]) { fleet in
                _ = try await fleet.startWorker()
                let lane = Lane(provider: .apns, urgency: .bulk).description
                try await fleet.publish(TestJob("before", TestDevices.tokens(2000)))
                let garbage: [UInt8] = Array("\u{1}no job".utf8)
                try await fleet.publish(garbage, exchange: BrokerNames.campaigns, routingKey: "news")
                try await fleet.publish([0xFF, 0xFF, 0xFF, 7], exchange: BrokerNames.work, routingKey: lane)
                try await fleet.publish([], exchange: BrokerNames.work, routingKey: lane)
                try await fleet.publish(TestJob("after", TestDevices.tokens(2000, prefix: "b")))
                #expect(try await fleet.completed("before").counts.accepted == 2000)
                #expect(try await fleet.completed("after").counts.accepted == 2000)
                let parked = try await eventually("all three are parked") {
                    let parked = try await fleet.parked()
                    return parked.count == 3 ? parked : nil
                }
                let job = try #require(parked.first { $0.queue == BrokerNames.campaignsQueue })
                #expect(job.reason == "InvalidJob")
                #expect(try await fleet.ledger.read { try $0.parked(id: job.id) }?.body == garbage)
                let work = parked.filter { $0.queue == "fanfare.v1.work." + lane }
                #expect(work.count == 2)
                #expect(work.allSatisfy { !$0.reason.isEmpty && $0.errors.contains("detail") })
            }
        }

        @Test func `a shard that the ledger does not know is parked, never sent`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let shard = try TestShard.stranger(Self.device)
                try await fleet.publish(shard, exchange: BrokerNames.work, routingKey: "apns.bulk")
                let parked = try await eventually("it is parked") { try await fleet.parked().first }
                #expect(parked.reason == "UnknownCampaign")
                #expect(parked.devices == 1)
                #expect(fleet.simulator.statistics.requests == 0)
            }
        }

        @Test func `a job with an AMQP expiration ends in parked with the hint`() async throws {
            try await PrivateFleet.with { fleet in
                let job = TestJob("late", Self.device)
                var properties = job.properties
                properties.expiration = "1"
                try await fleet.publish(
                    job.body,
                    exchange: BrokerNames.campaigns,
                    routingKey: "news",
                    properties: properties
                )
                try await eventually("the broker has parked it") {
                    try await fleet.broker { try await $0.counts(of: BrokerNames.parkedQueue)?.ready == 1 }
                }
                _ = try await fleet.startWorker()
                let parked = try await eventually("it is in the ledger") { try await fleet.parked().first }
                #expect(parked.reason == "Expiration")
                #expect(parked.queue == BrokerNames.campaignsQueue)
                #expect(parked.errors.contains("publish without expiration"))
                #expect(try await fleet.status("late") == nil)
            }
        }
    }
}
