import AMQP
import Campaigns
import Delivery
import NIOCore
import NIOPosix
import Operations
import PushProviders
import Servers
import Testing
import Transport

extension RealBroker {
    @Suite("The topology on a real broker")
    struct Topology {
        static let lane = Lane(provider: .apns, urgency: .bulk)
        static let manifest = TopologyManifest.fanfare(lanes: [lane])

        static func tool() async throws -> TopologyTool {
            let node = try await RealBroker.shared.node()
            let endpoint = try await Broker.endpoint()
            let management = ManagementAPI(
                host: "127.0.0.1",
                port: node.managementPort,
                endpoint: endpoint,
                loop: Broker.loop
            )
            return TopologyTool(endpoint: endpoint, manifest: manifest, management: management, loop: Broker.loop)
        }

        static func applied() async throws -> AMQPClient {
            _ = try await tool().apply()
            let client = try await Broker.client()
            for queue in manifest.queues { try await client.call(.purgeQueue(name: queue.name)) }
            return client
        }

        @Test func `after apply nothing differs, and what is taken away is missed in one line`() async throws {
            let tool = try await Self.tool()
            let client = try await Broker.client()
            for queue in Self.manifest.queues { try await client.call(.deleteQueue(name: queue.name)) }
            let applied = try await tool.apply()
            #expect(applied.managementFailure == nil)
            #expect(try await tool.plan().changes == [])
            #expect(try await tool.passiveCheck() == [])

            try await client.call(.deleteQueue(name: "fanfare.v1.work.apns.bulk"))
            let missing = "queue fanfare.v1.work.apns.bulk is missing: run `fanfare topology apply`"
            #expect(try await tool.passiveCheck() == [missing])
            _ = try await tool.apply()
            #expect(try await tool.plan().isClean)
            await client.close()
        }

        @Test func `the management API of the next node is asked if the first one cannot be reached`() async throws {
            let (endpoint, port) = (try await Broker.endpoint(), try await RealBroker.shared.node().managementPort)
            func version(_ hosts: String...) async throws -> String {
                try await ManagementAPI(
                    hosts: hosts,
                    port: port,
                    isSecure: false,
                    endpoint: endpoint,
                    loop: Broker.loop
                ).version()
            }
            // Nobody listens there.
            await #expect(throws: ManagementAPI.Failure.self) { try await version("127.0.0.2") }
            #expect(try await version("127.0.0.2", "127.0.0.1") == version("127.0.0.1"))
        }

        @Test func `D8: the broker's clock is held against this machine's`() async throws {
            let endpoint = try await Broker.endpoint()
            func skew(port: Int) async throws -> ClockSkew? {
                let management = ManagementAPI(host: "127.0.0.1", port: port, endpoint: endpoint, loop: Broker.loop)
                return try await management.clockSkew()
            }
            let real = try #require(try await skew(port: try await RealBroker.shared.node().managementPort))
            #expect(!real.isNoteworthy)
            let wrong = try await ServerBootstrap(group: Broker.loop)
                .childChannelInitializer { channel in
                    let date = "date: Sat, 21 Nov 2020 19:30:00 GMT"
                    return channel.pipeline.addHandler(
                        Greeter("HTTP/1.1 401 No\r\n\(date)\r\ncontent-length: 0\r\n\r\n")
                    )
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let off = try #require(try await skew(port: wrong.localAddress?.port ?? 0))
            #expect(off.isNoteworthy && off.text(of: "the broker").hasSuffix("ahead of the broker's"))
            try await wrong.close()
        }

        @Test func `the management API is asked over TLS by the broker's certificate, and never in the clear afar`()
            async throws
        {
            let node = try await RealBroker.shared.node()
            var endpoint = try await Broker.endpoint()
            func version(_ host: String, _ port: Int, isSecure: Bool) async -> Result<String, ManagementAPI.Failure> {
                let api = ManagementAPI(
                    host: host,
                    port: port,
                    isSecure: isSecure,
                    endpoint: endpoint,
                    loop: Broker.loop
                )
                do throws(ManagementAPI.Failure) { return .success(try await api.version()) } catch {
                    return .failure(error)
                }
            }
            let port = node.secureManagementPort
            guard case .failure(.unreachable(let reason)) = await version("localhost", port, isSecure: true) else {
                Issue.record("a certificate that nobody vouches for was taken")
                return
            }
            #expect(reason.contains("certificate"), "\(reason)")
            endpoint.tls = AMQPEndpoint.TLSFiles(authorities: node.certificatePath)
            let secured = try await version("127.0.0.1", port, isSecure: true).get()
            #expect(Int(secured.prefix { $0 != "." }) ?? 0 >= 3, "\(secured)")
            #expect(try await version("127.0.0.1", node.managementPort, isSecure: false).get() == secured)
            // Not asked at all: nobody has this name.
            let afar = await version("broker.invalid", node.managementPort, isSecure: false)
            #expect(afar == .failure(.unprotected("broker.invalid:\(node.managementPort)")))
        }

        @Test(arguments: [
            (#"{"rabbitmq_version": 3}"#, "rabbitmq_version has another type"),
            (#"{"rabbitmq_version": null}"#, "rabbitmq_version is null"), ("{}", "there is no rabbitmq_version"),
            ("[1]", "the answer has another type"), ("<html>", "it is not JSON"),
        ])
        func `an answer of the management API that cannot be read is told in words`(
            _ body: String,
            _ problem: String
        ) async throws {
            let server = try await ServerBootstrap(group: Broker.loop)
                .childChannelInitializer { channel in
                    channel.pipeline.addHandler(
                        Greeter("HTTP/1.1 200 OK\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)")
                    )
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let port = server.localAddress?.port ?? 0
            let endpoint = try await Broker.endpoint()
            let management = ManagementAPI(host: "127.0.0.1", port: port, endpoint: endpoint, loop: Broker.loop)
            await #expect(
                throws: ManagementAPI.Failure.unexpected("/api/overview with something else than is known: \(problem)")
            ) {
                try await management.version()
            }
            try await server.close()
        }

        @Test func `without the management API apply says which commands to run`() async throws {
            let endpoint = try await Broker.endpoint()
            let management = ManagementAPI(
                host: "127.0.0.1",
                port: try LoopbackPorts.free(1)[0],
                endpoint: endpoint,
                loop: Broker.loop
            )
            let tool = TopologyTool(
                endpoint: endpoint,
                manifest: Self.manifest,
                management: management,
                loop: Broker.loop
            )
            let report = try await tool.apply()
            #expect(report.managementFailure != nil)
            #expect(report.commands.count == Self.manifest.queues.count)
            #expect(report.commands[0].hasPrefix("rabbitmqctl set_policy -p '/' --priority 10 --apply-to queues"))
            #expect(try await tool.passiveCheck() == [])
        }

        @Test func `a management API that comes a moment after the broker is waited for`() async throws {
            let node = try await RealBroker.shared.node()
            let late = try await LatePort(to: node.managementPort)
            let client = try await Broker.client()
            for queue in Self.manifest.queues { try await client.call(.deleteQueue(name: queue.name)) }
            await client.close()
            let endpoint = try await Broker.endpoint()
            let management = ManagementAPI(host: "127.0.0.1", port: late.port, endpoint: endpoint, loop: Broker.loop)
            let tool = TopologyTool(
                endpoint: endpoint,
                manifest: Self.manifest,
                management: management,
                loop: Broker.loop
            )
            let applied = try await tool.apply()
            #expect(applied.managementFailure == nil)
            #expect(applied.changes.count == Set(applied.changes.map(\.line)).count)
            #expect(try await tool.plan().isClean)
            try await late.close()
        }

        @Test func `an urgent job goes only to the urgent queue, everything else only to the other`() async throws {
            let client = try await Self.applied()
            let queues = [BrokerNames.campaignsQueue, BrokerNames.urgentCampaignsQueue]
            let urgencies: [String?] = ["urgent", nil, "bulk", "urgent", nil]
            for (index, urgency) in urgencies.enumerated() {
                let headers = urgency.map { [MessageHeader("urgency", .string($0))] } ?? []
                let job = OutboundMessage(
                    exchange: BrokerNames.campaigns,
                    routingKey: "news",
                    properties: MessageProperties(messageID: "\(index)", headers: headers),
                    body: [1]
                )
                #expect(await client.publish(job) == .confirmed)
            }
            for queue in queues { try await client.call(.consume(queue: queue, consumerTag: queue)) }
            var seen: [String: [String]] = [:]
            for await message in client.messages {
                seen[message.queue, default: []].append(message.properties.messageID ?? "")
                client.ack(message.deliveryTag)
                if seen.values.map(\.count).reduce(0, +) == urgencies.count { break }
            }
            #expect(seen == [queues[0]: ["1", "2", "4"], queues[1]: ["0", "3"]])
            for queue in queues { #expect(try await client.counts(of: queue)?.ready == 0) }
            await client.close()
        }

        @Test func `a job with an expiration is parked instead of vanishing`() async throws {
            let client = try await Self.applied()
            let job = OutboundMessage(
                exchange: BrokerNames.campaigns,
                routingKey: "news",
                properties: MessageProperties(messageID: "short-lived", expiration: "1"),
                body: [1]
            )
            #expect(await client.publish(job) == .confirmed)
            try await client.call(.consume(queue: BrokerNames.parkedQueue, consumerTag: "parked"))
            for await message in client.messages {
                #expect(message.properties.messageID == "short-lived")
                #expect(message.routingKey == "news")
                client.ack(message.deliveryTag)
                break
            }
            await client.close()
        }

        @Test func `a shard comes back from its rung with its lane, not redelivered`() async throws {
            let client = try await Self.applied()
            let node = try await RealBroker.shared.node()
            let queue = BrokerNames.retryQueue(.seconds5, .a)
            let pattern = TopologyManifest.policyPattern(queue: queue)
            let definition = """
                {"message-ttl": 50, "dead-letter-exchange": "fanfare.work", \
                "dead-letter-strategy": "at-least-once", "overflow": "reject-publish"}
                """
            try await node.rabbitmqctl(
                "set_policy",
                "--priority",
                "20",
                "--apply-to",
                "queues",
                "test-rung",
                pattern,
                definition
            )
            let shard = OutboundMessage(
                exchange: BrokerNames.retryExchange(.seconds5, .a),
                routingKey: Self.lane.description,
                properties: MessageProperties(messageID: "1.0.0.5sa1#1"),
                body: [9, 9]
            )
            #expect(await client.publish(shard) == .confirmed)
            try await client.call(.consume(queue: BrokerNames.workQueue(Self.lane), consumerTag: "work"))
            for await message in client.messages {
                #expect(message.properties.messageID == "1.0.0.5sa1#1")
                #expect(message.routingKey == "apns.bulk")
                #expect(message.exchange == BrokerNames.work)
                #expect(!message.redelivered)
                #expect(message.body == [9, 9])
                client.ack(message.deliveryTag)
                break
            }
            try await node.rabbitmqctl("clear_policy", "test-rung")
            await client.close()
        }
    }
}
