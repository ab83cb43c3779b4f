import AMQP
import NIOCore
import NIOPosix
import Servers
import Testing
import Transport

/// All tests against a real, private RabbitMQ node, one at a time.
@Suite("A real broker", .serialized, .timeLimit(.minutes(5)))
struct RealBroker {
    static let shared = SharedNode()

    @Suite("Connecting")
    struct Connecting {
        @Test func `B12: a wrong password is told as such, without it`() async throws {
            var endpoint = try await Broker.endpoint()
            endpoint.password = "hunter2"
            let error = await #expect(throws: AMQPConnectError.self) {
                try await AMQPClient.connect(endpoint, name: "test", on: Broker.loop)
            }
            #expect(error?.kind == .wrongPassword)
            #expect(error?.isConfiguration == true)
            #expect(error?.description.contains("hunter2") == false)
        }

        @Test func `a virtual host that does not exist is told as such`() async throws {
            var endpoint = try await Broker.endpoint()
            endpoint.virtualHost = "nowhere"
            let error = await #expect(throws: AMQPConnectError.self) {
                try await AMQPClient.connect(endpoint, name: "test", on: Broker.loop)
            }
            #expect(error?.kind == .virtualHost)
            #expect(error?.description.contains("nowhere") == true)
        }

        @Test func `nobody listening is not reachable, and the next host is tried`() async throws {
            var endpoint = try await Broker.endpoint()
            let free = AMQPEndpoint.Host(name: "127.0.0.1", port: try LoopbackPorts.free(1)[0])
            let alone = AMQPEndpoint(hosts: [free])
            let error = await #expect(throws: AMQPConnectError.self) {
                try await AMQPClient.connect(alone, name: "test", on: Broker.loop)
            }
            #expect(error?.kind == .unreachable)
            #expect(error?.description == "RabbitMQ at \(free) is not reachable: connection refused")
            endpoint.hosts.insert(free, at: 0)
            let client = try await AMQPClient.connect(endpoint, name: "test", on: Broker.loop)
            await client.close()
        }

        @Test func `a web server is not a broker`() async throws {
            let server = try await ServerBootstrap(group: Broker.loop)
                .childChannelInitializer { channel in
                    channel.pipeline.addHandler(Greeter("HTTP/1.1 400 Bad Request\r\n\r\n"))
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let port = server.localAddress?.port ?? 0
            let endpoint = AMQPEndpoint(hosts: [.init(name: "127.0.0.1", port: port)])
            let error = await #expect(throws: AMQPConnectError.self) {
                try await AMQPClient.connect(endpoint, name: "test", on: Broker.loop)
            }
            try await server.close()
            #expect(error?.kind == .notAMQP)
        }

        @Test func `amqps works with the right authority and not without it`() async throws {
            let node = try await RealBroker.shared.node()
            let url = "amqps://guest:guest@localhost:\(node.securePort)"
            let endpoint = try AMQPEndpoint(parsing: "\(url)?cacertfile=\(node.certificatePath)")
            let client = try await AMQPClient.connect(endpoint, name: "test", on: Broker.loop)
            let queue = try await client.call(.declareQueue(name: "test.tls", exclusive: true))
            #expect(queue == .queue(name: "test.tls", messageCount: 0, consumerCount: 0))
            let body = [UInt8](repeating: 3, count: 300_000)
            try await client.call(.declareExchange(name: "test.fanout.tls", type: "fanout"))
            try await client.call(.bindQueue(queue: "test.tls", exchange: "test.fanout.tls", routingKey: ""))
            try await client.call(.consume(queue: "test.tls", consumerTag: "c", noAck: true))
            let message = OutboundMessage(exchange: "test.fanout.tls", routingKey: "", body: body)
            #expect(await client.publish(message) == .confirmed)
            for await message in client.messages {
                #expect(message.body == body)
                break
            }
            await client.close()
            let stranger = try AMQPEndpoint(parsing: url)
            let error = await #expect(throws: AMQPConnectError.self) {
                try await AMQPClient.connect(stranger, name: "test", on: Broker.loop)
            }
            #expect(error?.kind == .tls)
            let missing = try AMQPEndpoint(parsing: "\(url)?cacertfile=/nowhere.pem")
            let file = await #expect(throws: AMQPConnectError.self) {
                try await AMQPClient.connect(missing, name: "test", on: Broker.loop)
            }
            #expect(file?.kind == .configuration)
        }
    }

    @Suite("Calls and publishes")
    struct Calls {
        @Test func `a missing queue is nil, and the channel lives on`() async throws {
            let client = try await Broker.freshQueue("test.calls")
            #expect(try await client.counts(of: "test.none") == nil)
            #expect(try await client.counts(of: "test.calls") == QueueCounts(ready: 0, consumers: 0))
            #expect(try await client.exchangeExists("test.direct"))
            #expect(try await !client.exchangeExists("test.nothing"))
            #expect(await client.publish(Broker.message("test.calls", id: "1")) == .confirmed)
            await client.close()
        }

        @Test func `B8: a mandatory message without a queue is returned`() async throws {
            let client = try await Broker.freshQueue("test.returns")
            let results = await withTaskGroup(of: PublishResult.self) { group in
                group.addTask { await client.publish(Broker.message("test.returns", id: "1")) }
                group.addTask { await client.publish(Broker.message("nobody", id: "2")) }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.contains(.confirmed))
            #expect(results.contains(.returned(code: 312, text: "NO_ROUTE")))
            await client.close()
        }

        @Test func `B8: an exchange that does not exist loses the channel and tells it`() async throws {
            let endpoint = try await Broker.endpoint()
            let publisher = try await TestPublisher(endpoint)
            let nowhere = OutboundMessage(exchange: "test.missing", routingKey: "", body: [])
            #expect(await publisher.publish(nowhere) == .connectionLost)
            await publisher.close()
        }

        @Test func `B6: a full queue refuses, and what was confirmed is in it`() async throws {
            let limit = [
                MessageHeader("x-max-length", .integer(3)), MessageHeader("x-overflow", .string("reject-publish")),
            ]
            let client = try await Broker.freshQueue("test.full", arguments: limit)
            let publisher = try await TestPublisher(try await Broker.endpoint())
            var confirmed: UInt32 = 0
            var refused = 0
            for id in 0..<30 {
                switch await publisher.publish(Broker.message("test.full", id: "\(id)")) {
                case .confirmed: confirmed += 1
                case .nacked: refused += 1
                default: Issue.record("neither confirmed nor refused")
                }
            }
            #expect(refused > 0)
            #expect(try await client.counts(of: "test.full")?.ready == confirmed)
            await publisher.close()
            await client.close()
        }
    }

    @Suite("Consuming")
    struct Consuming {
        @Test func `redelivered is false at first and true after the connection was lost`() async throws {
            let client = try await Broker.freshQueue("test.redelivered")
            #expect(await client.publish(Broker.message("test.redelivered", id: "1")) == .confirmed)
            let first = try await TestConsumer(try await Broker.endpoint(), .queue("test.redelivered", prefetch: 4))
            let fresh = await first.messages(1, acking: false)
            #expect(fresh.map(\.redelivered) == [false])
            #expect(fresh.map(\.queue) == ["test.redelivered"])
            await first.close()
            let second = try await TestConsumer(try await Broker.endpoint(), .queue("test.redelivered", prefetch: 4))
            #expect(await second.messages(1).map(\.redelivered) == [true])
            await second.close()
            await client.close()
        }

        @Test func `B9: a deleted queue is noticed and taken up again when it is back`() async throws {
            var client = try await Broker.freshQueue("test.deleted")
            let consumer = try await TestConsumer(try await Broker.endpoint(), .queue("test.deleted", prefetch: 4))
            for await case .connected in consumer.seen { break }
            try await client.call(.deleteQueue(name: "test.deleted"))
            for await case .lost(let queue) in consumer.seen {
                #expect(queue == "test.deleted")
                break
            }
            await client.close()
            client = try await Broker.freshQueue("test.deleted")
            #expect(await client.publish(Broker.message("test.deleted", id: "back")) == .confirmed)
            #expect(await consumer.messages(1).map(\.properties.messageID) == ["back"])
            await consumer.close()
            await client.close()
        }

        @Test func `a queue is consumed once more by what its first message asks for, while others are not yet`()
            async throws
        {
            let client = try await Broker.freshQueue("test.wide")
            #expect(await client.publish(Broker.message("test.wide", id: "1")) == .confirmed)
            // It comes before any answer of the second queue: both calls use the connection's only channel.
            let consumer = try await TestConsumer(
                try await Broker.endpoint(),
                .queue("test.wide", prefetch: 1),
                .listener(exchange: "amq.fanout", prefix: "test.ear"),
                onMessage: { consumer, _ in consumer.widen("test.wide") }
            )
            for await case .connected in consumer.seen { break }
            #expect(try await client.counts(of: "test.wide")?.consumers == 2)
            await consumer.close()
            await client.close()
        }

        @Test func `after stopConsuming nothing comes, but what is here can be acknowledged`() async throws {
            let client = try await Broker.freshQueue("test.drain")
            for id in 0..<4 { #expect(await client.publish(Broker.message("test.drain", id: "\(id)")) == .confirmed) }
            let consumer = try await TestConsumer(try await Broker.endpoint(), .queue("test.drain", prefetch: 2))
            let held = await consumer.messages(2, acking: false)
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                consumer.use { $0.stopConsuming { continuation.resume() } }
            }
            consumer.use { consumer in
                for message in held { consumer.ack(message.deliveryTag, generation: consumer.generation) }
            }
            await consumer.close()
            // If an acknowledgement had been lost, its message would come back first.
            let next = try await TestConsumer(try await Broker.endpoint(), .queue("test.drain", prefetch: 2))
            #expect(await next.messages(2).map(\.properties.messageID) == ["2", "3"])
            await next.close()
            await client.close()
        }

        @Test func `stopped while it subscribes, it consumes nothing afterwards`() async throws {
            let client = try await Broker.freshQueue("test.early")
            await (try await Broker.freshQueue("test.late")).close()
            #expect(await client.publish(Broker.message("test.early", id: "1")) == .confirmed)
            let endpoint = try await Broker.endpoint()
            let (stopped, continuation) = AsyncStream<Void>.makeStream()
            let consumer = try await Broker.loop.submit {
                let box = ConsumerBox()
                let consumer = AMQPConsumer(
                    loop: Broker.loop,
                    endpoint: endpoint,
                    name: "test consumer",
                    subscriptions: [.queue("test.early", prefetch: 1), .queue("test.late", prefetch: 1)],
                    handlers: AMQPConsumer.Handlers(
                        // The first queue's message comes before the second queue is consumed. A quorum queue counts a
                        // cancelled consumer as long as it has messages.
                        message: { message, generation in
                            box.consumer?.stopConsuming { continuation.yield() }
                            box.consumer?.ack(message.deliveryTag, generation: generation)
                        }
                    )
                )
                box.consumer = consumer
                consumer.start()
                return NIOLoopBound(consumer, eventLoop: Broker.loop)
            }.get()
            for await _ in stopped { break }
            for queue in ["test.early", "test.late"] {
                try await eventually("nobody consumes \(queue)", within: .seconds(10)) {
                    try await client.counts(of: queue)?.consumers == 0
                }
            }
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                Broker.loop.execute { consumer.value.close { done.resume() } }
            }
            await client.close()
        }

        @Test func `an ear hears what is said while it is connected`() async throws {
            let client = try await Broker.client()
            try await client.call(.declareExchange(name: "test.control", type: "fanout"))
            let consumer = try await TestConsumer(
                try await Broker.endpoint(),
                .listener(exchange: "test.control", prefix: "fanfare.v1.control.w1")
            )
            for await case .connected in consumer.seen { break }
            let hint = OutboundMessage(exchange: "test.control", routingKey: "", body: Array("look".utf8))
            #expect(await client.publish(hint) == .confirmed)
            let heard = await consumer.messages(1, acking: false)
            #expect(heard.map(\.body) == [Array("look".utf8)])
            #expect(heard.first?.queue.hasPrefix("fanfare.v1.control.w1.") == true)
            await consumer.close()
            await client.close()
        }
    }
}

/// Holds a consumer; confined to the loop.
private final class ConsumerBox {
    var consumer: AMQPConsumer?
}

/// A server that sends a greeting to everybody at once.
final class Greeter: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let text: String

    init(_ text: String) {
        self.text = text
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }
}
