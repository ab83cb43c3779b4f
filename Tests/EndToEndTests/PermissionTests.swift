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
    /// The permissions of the shipped broker users.
    @Suite("Permissions")
    struct Permissions {
        @Test func `the shipped definitions make the broker as topology apply does, with users that cannot log in`()
            async throws
        {
            let node = try await PrivateBroker.node()
            let endpoint = try AMQPEndpoint(parsing: node.url)
            #expect(try await ShippedUsers.prepare() == [])
            let folder = FileManager.default.temporaryDirectory.path
            let diff = try await FanfareProcess.run(
                ["topology", "diff"],
                folder: folder,
                environment: [
                    "FANFARE_AMQP_URL": ShippedUsers.url("fanfare-admin", endpoint),
                    "FANFARE_AMQP_MANAGEMENT_URL": "http://127.0.0.1:\(node.managementPort)",
                ]
            )
            #expect(diff.exit == 0, "\(diff.output)\(diff.errors)")
            #expect(diff.output == "the broker is as it should be\n")
        }

        @Test func `each user can do what it must`() async throws {
            try await PrivateFleet.with(faults: ["rules": "4290=once-429"]) { fleet in
                try await Self.prepare(fleet)
                try await fleet.become("fanfare-worker")
                let worker = try await fleet.startWorker()
                let job = TestJob("derby", TestDevices.tokens(20) + TestDevices.tokens(5, prefix: "4290"))
                try Data(job.body).write(to: URL(fileURLWithPath: fleet.folder + "/job.json"))
                let sent = try await fleet.run(as: "fanfare-producer", "campaign", "send", "job.json", "--wait")
                #expect(sent.exit == 0, "\(sent.errors)")
                #expect(try await fleet.completed("derby").attempts == 30)
                try await serverSpeaksForEveryApp(fleet)
                // Garbage is parked and recorded in the ledger.
                try await fleet.publish([1], exchange: BrokerNames.work, routingKey: "apns.bulk")
                try await eventually("it is parked") { try await fleet.parked().count == 1 }
                try await answersAreHeard(fleet)
                let status = try await fleet.run(as: "fanfare-observer", "status", "--json")
                let document = try #require(JSONReader.read(Array(status.output.utf8)).value)
                #expect(document["parts"]?.array?.allSatisfy { $0["well"] == .bool(true) } == true, "\(status.output)")
                let applied = try await fleet.run(as: "fanfare-admin", "topology", "apply")
                #expect(applied.exit == 0, "\(applied.output)\(applied.errors)")
                #expect(worker.isRunning)
                worker.terminate()
                #expect(try await worker.ended(within: .seconds(30)).exit == 0)
            }
        }

        /// Checks that the HTTP API publishes for every holder of its own tokens, and hints at its changes in the
        /// ledger.
        private func serverSpeaksForEveryApp(_ fleet: PrivateFleet) async throws {
            let client = try await Self.client("fanfare-server", fleet)
            let job = TestJob("from-the-server", TestDevices.tokens(3, prefix: "c"))
            for (exchange, key) in [(BrokerNames.campaigns, job.app), (BrokerNames.control, "")] {
                let message = OutboundMessage(
                    exchange: exchange,
                    routingKey: key,
                    properties: job.properties,
                    body: job.body
                )
                #expect(await client.publish(message) == .confirmed, "\(exchange)")
            }
            await client.close()
            _ = try await fleet.completed("from-the-server")
        }

        /// Checks that a producer receives events of its own app's campaigns on its own queue.
        private func answersAreHeard(_ fleet: PrivateFleet) async throws {
            let client = try await Self.client("fanfare-producer", fleet)
            let queue = "answers.fanfare-producer.1"
            try await client.call(.declareQueue(name: queue, exclusive: true))
            try await client.call(.bindQueue(queue: queue, exchange: BrokerNames.events, routingKey: "news.#"))
            try await client.call(.consume(queue: queue, consumerTag: "answers", noAck: true))
            try await fleet.publish(TestJob("second", TestDevices.tokens(1, prefix: "b")))
            for await message in client.messages {
                let type = JSONReader.read(message.body).value?["type"]?.string
                if type == "campaign.completed" { break }
            }
            await client.close()
        }

        @Test func `each user is refused what it must not do`() async throws {
            try await PrivateFleet.with { fleet in
                try await Self.prepare(fleet)
                let bulk = BrokerNames.workQueue(Lane(provider: .apns, urgency: .bulk))
                let jobs = BrokerNames.campaignsQueue
                try await refuses(
                    "fanfare-worker",
                    fleet,
                    calls: [
                        .declareQueue(name: "fanfare.v1.work.other"), .deleteQueue(name: bulk),
                        .consume(queue: BrokerNames.retryQueue(.seconds5, .a), consumerTag: "t"),
                        .bindQueue(queue: jobs, exchange: BrokerNames.work, routingKey: "x"),
                    ],
                    publishes: [(BrokerNames.campaigns, "news"), ("", jobs)]
                )
                try await refuses(
                    "fanfare-producer",
                    fleet,
                    calls: [
                        .declareQueue(name: "mine"), .purgeQueue(name: jobs), .deleteQueue(name: jobs),
                        .consume(queue: jobs, consumerTag: "t"), .consume(queue: bulk, consumerTag: "t"),
                    ],
                    publishes: [(BrokerNames.campaigns, "shop"), (BrokerNames.work, "apns.bulk"), ("", bulk)]
                )
                try await refuses(
                    "fanfare-server",
                    fleet,
                    calls: [
                        .declareQueue(name: "mine"), .purgeQueue(name: jobs), .consume(queue: jobs, consumerTag: "t"),
                        .consume(queue: bulk, consumerTag: "t"), .deleteExchange(name: BrokerNames.work),
                    ],
                    publishes: [(BrokerNames.work, "apns.bulk"), (BrokerNames.parked, ""), ("", bulk)]
                )
                try await refuses(
                    "fanfare-edge",
                    fleet,
                    calls: [
                        .declareQueue(name: "mine"), .purgeQueue(name: jobs), .consume(queue: jobs, consumerTag: "t"),
                        .consume(queue: BrokerNames.trackingQueue, consumerTag: "t"),
                    ],
                    publishes: [
                        (BrokerNames.campaigns, "news"), (BrokerNames.control, ""), (BrokerNames.work, "apns.bulk"),
                    ]
                )
                try await refusesOthersEvents(fleet)
                try await refuses(
                    "fanfare-observer",
                    fleet,
                    calls: [
                        .declareQueue(name: "mine"), .purgeQueue(name: jobs), .consume(queue: jobs, consumerTag: "t"),
                        .deleteExchange(name: BrokerNames.work),
                    ],
                    publishes: [(BrokerNames.campaigns, "news"), (BrokerNames.work, "apns.bulk")]
                )
                try await refuses(
                    "fanfare-admin",
                    fleet,
                    calls: [.declareQueue(name: "other"), .deleteExchange(name: "amq.topic")],
                    publishes: [("", jobs), ("amq.topic", "news")]
                )
                // Everything is still there, and nothing got through.
                #expect(try await fleet.run("topology", "diff").exit == 0)
                #expect(try await fleet.broker { try await $0.counts(of: jobs)?.ready } == 0)
                #expect(try await fleet.broker { try await $0.counts(of: bulk)?.ready } == 0)
            }
        }

        /// Checks the isolation of tenants: events of another app's campaigns are refused.
        private func refusesOthersEvents(_ fleet: PrivateFleet) async throws {
            let client = try await Self.client("fanfare-producer", fleet)
            let queue = "answers.fanfare-producer.2"
            try await client.call(.declareQueue(name: queue, exclusive: true))
            for key in ["#", "shop.#", "*.campaign.completed"] {
                let error = await #expect(throws: AMQPConnectError.self, "\(key)") {
                    try await client.call(.bindQueue(queue: queue, exchange: BrokerNames.events, routingKey: key))
                }
                #expect(error?.kind == .channelClosed(403))
            }
            await client.close()
        }

        private func refuses(
            _ user: String,
            _ fleet: PrivateFleet,
            calls: [AMQPCall],
            publishes: [(exchange: String, key: String)]
        ) async throws {
            let client = try await Self.client(user, fleet)
            for call in calls {
                let error = await #expect(throws: AMQPConnectError.self, "\(user) may \(call)") {
                    try await client.call(call)
                }
                #expect(error?.kind == .channelClosed(403), "\(user): \(call)")
            }
            for publish in publishes {
                let message = OutboundMessage(exchange: publish.exchange, routingKey: publish.key, body: [1])
                #expect(await client.publish(message) == .connectionLost, "\(user) may publish to \(publish)")
            }
            await client.close()
        }

        private static func prepare(_ fleet: PrivateFleet) async throws {
            _ = try await ShippedUsers.prepare()
            try await ShippedUsers.grant(in: fleet.endpoint.virtualHost)
        }

        private static func client(_ user: String, _ fleet: PrivateFleet) async throws -> AMQPClient {
            let endpoint = try AMQPEndpoint(parsing: ShippedUsers.url(user, fleet.endpoint))
            return try await AMQPClient.connect(endpoint, name: "test", on: PrivateBroker.loop)
        }
    }
}
