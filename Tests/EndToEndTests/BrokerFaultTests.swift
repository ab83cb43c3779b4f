import AMQP
import Campaigns
import Delivery
import Foundation
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// The broker's possible faults: rows B of Faults.md.
    @Suite("Broker faults")
    struct BrokerFaults {
        /// Checks that each device was sent to once, by both counts.
        private func allOnce(_ fleet: PrivateFleet, _ id: String, _ audience: Int) async throws {
            let status = try await fleet.completed(id, within: .seconds(120))
            #expect(status.counts.accepted == audience)
            let devices = try await fleet.devices(id)
            #expect(devices.differing.isEmpty, "\(devices.differing.prefix(3))")
        }

        @Test(.enabled(if: FullSuite.isOn), .hurtsItsBroker)
        func `B1: a broker that is stopped and started in mid-campaign loses nothing`() async throws {
            try await PrivateFleet.with(faults: ["latency": "100", "streams": "50"]) { fleet in
                let node = try await PrivateBroker.node()
                let worker = try await fleet.startWorker(level: "debug")
                try await fleet.putList("fans", TestDevices.tokens(20_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 2000)
                try await node.rabbitmqctl("stop_app")
                try await node.rabbitmqctl("start_app")
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.counts.accepted == 20_000)
                // The only worker adopts its own runs: requests in flight are not sent again.
                let devices = try await fleet.devices("derby")
                #expect(devices.differing.isEmpty, "\(devices.differing.prefix(3))")
                #expect(worker.isRunning)
            }
        }

        @Test(.enabled(if: FullSuite.isOn), .hurtsItsBroker)
        func `B3: while the broker stands still no stream is opened without a lease, and afterwards all goes on`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "500", "streams": "10"]) { fleet in
                let node = try await PrivateBroker.node()
                let worker = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(30_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 500)
                node.freeze()
                defer { node.thaw() }
                try await eventually("the worker knows") { worker.errors.contains("the broker is gone") }
                // These were in flight when the lease ran out; none was opened since.
                let last = fleet.simulator.statistics.requests
                try await lasting(.seconds(40))
                #expect(fleet.simulator.statistics.requests == last)
                node.thaw()
                _ = try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                    try faults.set("latency", to: "5")
                    try faults.set("streams", to: "500")
                }
                try await allOnce(fleet, "derby", 30_000)
            }
        }

        private static let alarms = [
            ["set_vm_memory_high_watermark", "0.00001", "0.8"], ["set_disk_free_limit", "1000000GB", "50MB"],
        ]

        @Test(.hurtsItsBroker, arguments: alarms.prefix(FullSuite.isOn ? 2 : 1))
        func `B4, B5: in an alarm what is there is sent and acked, what is over ends in time, and the rest follows`(
            alarm: [String]
        ) async throws {
            try await PrivateFleet.with(faults: ["latency": "250", "streams": "50", "rules": "4290=once-429"]) {
                fleet in
                let node = try await PrivateBroker.node()
                let worker = try await fleet.startWorker()
                for id in ["first", "second", "third"] {
                    try await fleet.putList(id, TestDevices.tokens(20_000, prefix: id == "first" ? "4290" : "a"))
                }
                try await fleet.publish(TestJob("warm", TestDevices.tokens(500, prefix: "b")))
                _ = try await fleet.completed("warm")
                for id in ["second", "third", "first"] { try await fleet.publish(TestJob(id, list: id)) }
                let hurried = TestJob("hurried", list: "second").delivered(["ttl": 9])
                try await fleet.publish(hurried)
                let accepted = try await eventually("it is accepted") { try await fleet.status("hurried") }
                _ = try await fleet.run("campaign", "pause", "hurried")
                try await node.rabbitmqctl(alarm[0], alarm[1])
                do {
                    try await eventually("the worker knows") { worker.errors.contains("takes no publishes") }
                    // The planner does not wait for a confirm: a campaign ends on time.
                    let ended = try await fleet.completed("hurried", within: .seconds(20))
                    let end = try #require(ended.completedAt)
                    #expect(end < accepted.expiresAt.advanced(by: .seconds(3)))
                    #expect(ended.counts.expired == 20_000)
                    // The delivered messages are acked.
                    try await eventually("the lane is empty") {
                        try await fleet.broker { try await $0.counts(of: "fanfare.v1.work.apns.bulk")?.ready == 0 }
                    }
                } catch {
                    try await node.rabbitmqctl(alarm[0], alarm[2])
                    throw error
                }
                try await node.rabbitmqctl(alarm[0], alarm[2])
                for id in ["second", "third", "first"] {
                    let status = try await fleet.completed(id, within: .seconds(120))
                    #expect(status.counts.accepted == 20_000)
                }
                #expect(worker.isRunning)
            }
        }

        @Test(.enabled(if: FullSuite.isOn))
        func `B7: a full rung keeps its retries in the ledger, and they go out when they are due`() async throws {
            try await PrivateFleet.with(faults: ["rules": "5030=once-503"]) { fleet in
                let node = try await PrivateBroker.node()
                _ = try await fleet.startWorker()
                // The rung's own policy leaves no room; a quorum queue still takes one or two more than its limit.
                let full = #"""
                    {"max-length":0,"overflow":"reject-publish","message-ttl":5000,
                    "dead-letter-exchange":"fanfare.work","dead-letter-strategy":"at-least-once"}
                    """#
                try await node.rabbitmqctl(
                    "set_policy",
                    "-p",
                    fleet.endpoint.virtualHost,
                    "--priority",
                    "100",
                    "--apply-to",
                    "queues",
                    "full",
                    #"^fanfare\.v1\.retry\.5s"#,
                    full
                )
                try await fleet.publish(TestJob("derby", TestDevices.mixed(3000, prefix: "5030")))
                // Their parents are acked all the same: the sweeper handles the rows.
                try await eventually("most of twelve retries wait in the ledger, and nothing is left in the lane") {
                    guard let pending = try await fleet.status("derby")?.pending else { return false }
                    guard pending.retrying > 0, pending.total == pending.retrying else { return false }
                    var waiting = 0
                    for ordinal in 0..<12 {
                        let rows = try await fleet.rows("derby", ordinal: UInt32(ordinal))
                        waiting += rows.count { $0.id.key.child > 0 && $0.state == .unpublished }
                    }
                    return waiting >= 8
                }
                try await allOnce(fleet, "derby", 6000)
            }
        }

        @Test func `B8: without a rung's exchange the retries are the sweeper's, and nobody is lost`() async throws {
            try await PrivateFleet.with(faults: ["rules": "5030=once-503"]) { fleet in
                let worker = try await fleet.startWorker()
                try await fleet.broker { client in
                    for side in RungSide.allCases {
                        try await client.call(.deleteExchange(name: BrokerNames.retryExchange(.seconds5, side)))
                    }
                }
                try await fleet.publish(TestJob("derby", TestDevices.mixed(300, prefix: "5030")))
                try await allOnce(fleet, "derby", 600)
                #expect(worker.isRunning)
            }
        }

        @Test func `B10: a queue of another type is said in one line at the start`() async throws {
            try await PrivateFleet.with { fleet in
                try await fleet.broker { client in
                    try await client.call(.deleteQueue(name: BrokerNames.campaignsQueue))
                    try await client.call(.declareQueue(name: BrokerNames.campaignsQueue))
                }
                let outcome = try await fleet.run("worker")
                #expect(outcome.exit == 78)
                #expect(outcome.errors.contains(BrokerNames.campaignsQueue), "\(outcome.errors)")
                #expect(outcome.errors.contains("classic") && outcome.errors.contains("quorum"), "\(outcome.errors)")
            }
        }

        @Test(.enabled(if: FullSuite.isOn), .hurtsItsBroker)
        func `B11: a broker that takes back what is held too long costs repeats of nobody`() async throws {
            try await PrivateFleet.with(faults: ["latency": "2000", "streams": "3"]) { fleet in
                let node = try await PrivateBroker.node()
                try await node.rabbitmqctl("eval", "application:set_env(rabbit, consumer_timeout, 70000).")
                let worker = try await fleet.startWorker()
                // This is minutes of work, however many connections the worker opens.
                try await fleet.putList("fans", TestDevices.tokens(30_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await eventually("the broker has taken them back", within: .seconds(240)) {
                    worker.errors.contains("the broker is gone")
                }
                try await node.rabbitmqctl("eval", "application:set_env(rabbit, consumer_timeout, 1800000).")
                try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                    try faults.set("latency", to: "5")
                }
                try await allOnce(fleet, "derby", 30_000)
            }
        }

        @Test(.enabled(if: FullSuite.isOn))
        func `B12: a permission that is taken away in mid-campaign and given back loses nothing`() async throws {
            try await PrivateFleet.with(faults: ["latency": "100", "streams": "50"]) { fleet in
                let node = try await PrivateBroker.node()
                let worker = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(20_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 2000)
                let host = fleet.endpoint.virtualHost
                try await node.rabbitmqctl("clear_permissions", "-p", host, "guest")
                try await node.rabbitmqctl("close_all_connections", "--vhost", host, "test")
                try await eventually("the worker is refused") { worker.errors.contains("the broker is gone") }
                try await node.rabbitmqctl("set_permissions", "-p", host, "guest", ".*", ".*", ".*")
                try await allOnce(fleet, "derby", 20_000)
                // At most one attempt per second.
                #expect(worker.errors.components(separatedBy: "ERROR").count < 30)
            }
        }

        @Test func `B13: a shard that kills every worker runs alone and is parked, those beside it complete`()
            async throws
        {
            try await PrivateFleet.with(faults: ["rules": "dead=stall", "latency": "5"]) { fleet in
                try await fleet.putList("fans", TestDevices.tokens(5000))
                try await fleet.publish(TestJob("poison", ["dead" + String(repeating: "0", count: 60)]))
                try await fleet.publish(TestJob("derby", list: "fans"))
                var deaths = 0
                var worker = try await fleet.startWorker()
                try await eventually("it is parked") {
                    // Simulates the device's effect on a worker, which dies as soon as it sends to it.
                    if fleet.simulator.statistics.stalled > deaths {
                        deaths = Int(fleet.simulator.statistics.stalled)
                        if deaths == Claim.deathsUntilAlone + 1 { try await urgentWaits(fleet) }
                        try await fleet.killKnown(worker)
                        worker = try await fleet.startWorker()
                    }
                    try #require(deaths < 10)
                    return try await !fleet.parked().isEmpty
                }
                #expect(deaths == Claim.deathsUntilParked)
                let parked = try #require(try await fleet.parked().first)
                #expect(parked.reason == "WorkerDied" && parked.campaign == "poison")
                #expect(try await fleet.status("poison")?.pending.parked == 1)
                #expect(try await fleet.completed("derby").counts.accepted == 5000)
                #expect(try await fleet.completed("urgent").counts.accepted == 10)
                #expect(try await fleet.devices("urgent").differing.isEmpty)
                #expect(try await fleet.parked().count == 1)
            }
        }

        /// Checks that not even an urgent campaign starts beside a shard that runs alone, although it is claimed.
        private func urgentWaits(_ fleet: PrivateFleet) async throws {
            for (id, prefix) in [("urgent", "b"), ("another", "c")] {
                var job = TestJob(id, TestDevices.tokens(10, prefix: prefix)).delivered(["urgency": "urgent"])
                job.isUrgent = true
                try await fleet.publish(job)
                try await eventually("it is accepted") { try await fleet.status(id) != nil }
            }
            // The first would have been sent while the second was being accepted.
            #expect(try await fleet.devices("urgent").allSatisfy { $0.requests == 0 })
        }

        @Test func `B15: forged delivery headers of a producer change nothing`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let job = TestJob("derby", TestDevices.tokens(10))
                var properties = job.properties
                properties.headers += [
                    MessageHeader("x-delivery-count", .integer(99)), MessageHeader("x-death", .string("poison")),
                ]
                try await fleet.publish(
                    job.body,
                    exchange: BrokerNames.campaigns,
                    routingKey: "news",
                    properties: properties
                )
                try await allOnce(fleet, "derby", 10)
            }
        }

        @Test func `B16: second copies of shards are dropped, while they run and after`() async throws {
            try await PrivateFleet.with(faults: ["latency": "50", "streams": "50"]) { fleet in
                for _ in 1...2 { _ = try await fleet.startWorker() }
                try await fleet.publish(TestJob("derby", TestDevices.tokens(5000)))
                try await fleet.requests(reach: 200)
                let campaign = try await fleet.number("derby")
                for _ in 1...2 {
                    for ordinal in 0..<UInt32(10) {
                        let key = ShardKey(campaign: campaign, part: 0, ordinal: ordinal)
                        guard let shard = try await fleet.ledger.read({ try $0.shardToPublish(key) }) else { continue }
                        try await fleet.publish(
                            try shard.body(),
                            exchange: BrokerNames.work,
                            routingKey: "apns.bulk"
                        )
                    }
                    try await allOnce(fleet, "derby", 5000)
                }
                #expect(fleet.simulator.statistics.requests == 5000)
            }
        }

        @Test func `a full queue of one listener starves no other's events`() async throws {
            try await PrivateFleet.with { fleet in
                try await fleet.broker { client in
                    let limit = [
                        MessageHeader("x-max-length", .integer(1)),
                        MessageHeader("x-overflow", .string("reject-publish")),
                    ]
                    try await client.call(.declareQueue(name: "full", arguments: limit))
                    try await client.call(
                        .bindQueue(queue: "full", exchange: BrokerNames.events, routingKey: "news.campaign.refused")
                    )
                }
                let listener = try await EventListener(fleet)
                _ = try await fleet.startWorker()
                for number in 1...130 {
                    let properties = MessageProperties(type: "fanfare.campaign.v1", messageID: "bad-\(number)")
                    try await fleet.publish(
                        Array("{}".utf8),
                        exchange: BrokerNames.campaigns,
                        routingKey: "news",
                        properties: properties
                    )
                }
                try await fleet.publish(TestJob("derby", TestDevices.tokens(10)))
                _ = try await listener.events("campaign.completed", of: "derby")
                await listener.close()
            }
        }
    }
}
