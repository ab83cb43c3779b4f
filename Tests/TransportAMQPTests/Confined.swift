import AMQP
import NIOCore
import NIOPosix
import Servers
import Transport

/// The suite of all tests against the shared node; they run one at a time, since some of them kill it.
enum Broker {
    static let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()

    static func endpoint() async throws -> AMQPEndpoint {
        try AMQPEndpoint(parsing: try await RealBroker.shared.node().url)
    }

    static func client() async throws -> AMQPClient {
        try await AMQPClient.connect(try await endpoint(), name: "test", on: loop)
    }

    /// Creates an empty quorum queue of this name, bound by its name to `test.direct`.
    static func freshQueue(_ name: String, arguments: [MessageHeader] = []) async throws -> AMQPClient {
        let client = try await client()
        try await client.call(.deleteQueue(name: name))
        try await client.call(.declareExchange(name: "test.direct", type: "direct"))
        let type = MessageHeader("x-queue-type", .string("quorum"))
        try await client.call(.declareQueue(name: name, arguments: [type] + arguments))
        try await client.call(.bindQueue(queue: name, exchange: "test.direct", routingKey: name))
        return client
    }

    static func message(_ queue: String, id: String, body: [UInt8] = [1]) -> OutboundMessage {
        OutboundMessage(
            exchange: "test.direct",
            routingKey: queue,
            properties: MessageProperties(messageID: id),
            body: body
        )
    }
}

/// A callback that a consumer made.
enum Seen: Sendable {
    case connected(UInt64)
    case message(InboundMessage, UInt64)
    case disconnected(AMQPConnectError)
    case lost(String)
}

/// A consumer on its loop, with its callbacks as a stream.
final class TestConsumer: Sendable {
    private let bound: NIOLoopBound<AMQPConsumer>
    let seen: AsyncStream<Seen>

    /// `onMessage` is called on the loop for a message, before anything else happens there.
    init(
        _ endpoint: AMQPEndpoint,
        _ subscriptions: AMQPConsumer.Subscription...,
        onMessage: @escaping @Sendable (AMQPConsumer, InboundMessage) -> Void = { _, _ in }
    ) async throws {
        let (seen, continuation) = AsyncStream<Seen>.makeStream()
        self.seen = seen
        bound = try await Broker.loop.submit {
            weak var own: AMQPConsumer?
            let consumer = AMQPConsumer(
                loop: Broker.loop,
                endpoint: endpoint,
                name: "test consumer",
                subscriptions: subscriptions,
                handlers: AMQPConsumer.Handlers(
                    connected: { continuation.yield(.connected($0)) },
                    message: {
                        if let own { onMessage(own, $0) }
                        continuation.yield(.message($0, $1))
                    },
                    disconnected: { continuation.yield(.disconnected($0)) },
                    subscriptionLost: { continuation.yield(.lost($0)) }
                )
            )
            own = consumer
            consumer.start()
            return NIOLoopBound(consumer, eventLoop: Broker.loop)
        }.get()
    }

    func use(_ body: @escaping @Sendable (AMQPConsumer) -> Void) {
        Broker.loop.execute { [bound] in body(bound.value) }
    }

    func ack(_ message: InboundMessage, _ generation: UInt64) {
        use { $0.ack(message.deliveryTag, generation: generation) }
    }

    /// Returns the next messages, and acknowledges them if requested.
    func messages(_ count: Int, acking: Bool = true) async -> [InboundMessage] {
        var messages: [InboundMessage] = []
        for await case .message(let message, let generation) in seen {
            messages.append(message)
            if acking { ack(message, generation) }
            if messages.count == count { break }
        }
        return messages
    }

    func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            use { $0.close { continuation.resume() } }
        }
    }
}

/// A publisher on its loop, with its state changes as a stream.
final class TestPublisher: Sendable {
    private let bound: NIOLoopBound<AMQPPublisher>
    let blocked: AsyncStream<Bool>

    init(_ endpoint: AMQPEndpoint, limits: AMQPPublisher.Limits = .init()) async throws {
        let (blocked, continuation) = AsyncStream<Bool>.makeStream()
        self.blocked = blocked
        bound = try await Broker.loop.submit {
            let publisher = AMQPPublisher(
                loop: Broker.loop,
                endpoint: endpoint,
                name: "test publisher",
                limits: limits
            )
            publisher.onChange = { [unowned publisher] _ in continuation.yield(publisher.isBlocked) }
            publisher.start()
            return NIOLoopBound(publisher, eventLoop: Broker.loop)
        }.get()
    }

    func use(_ body: @escaping @Sendable (AMQPPublisher) -> Void) {
        Broker.loop.execute { [bound] in body(bound.value) }
    }

    func publish(_ message: OutboundMessage) async -> PublishResult {
        await withCheckedContinuation { continuation in
            use { $0.publish(message) { continuation.resume(returning: $0) } }
        }
    }

    var generation: UInt64 {
        get async {
            await withCheckedContinuation { continuation in
                use { continuation.resume(returning: $0.generation) }
            }
        }
    }

    func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            use { $0.close { continuation.resume() } }
        }
    }
}
