public import AMQP
import Delivery
public import NIOCore

/// A connection that consumes and acknowledges; it reconnects forever.
///
/// Confined to its event loop: every member is used and every handler is called there. Delivery tags belong to one
/// connection, identified by its `generation`; when it ends, the broker gives its messages to another consumer. A node
/// that does not confirm its consumers is left for the next one of the cluster.
public final class AMQPConsumer {
    /// A source of messages.
    public enum Subscription: Sendable, Equatable {
        /// An existing queue, and the number of its messages that may be unacknowledged.
        case queue(String, prefetch: UInt16)
        /// A queue of our own (classic, exclusive, auto-deleted) that receives everything from a fanout exchange
        /// without acknowledgement. Its name begins with `prefix` and is new for each connection.
        case listener(exchange: String, prefix: String)
    }

    /// The callbacks of a consumer.
    public struct Handlers {
        /// All subscriptions are active on a new connection.
        public var connected: (_ generation: UInt64) -> Void
        /// A message arrived.
        public var message: (_ message: InboundMessage, _ generation: UInt64) -> Void
        /// A connection or a connection attempt failed; unacknowledged messages return to their queues.
        public var disconnected: (_ error: AMQPConnectError) -> Void
        /// The broker ended the subscription of a queue (it was deleted); the consumer subscribes again when the queue
        /// is back.
        public var subscriptionLost: (_ queue: String) -> Void

        /// Creates handlers; all but `message` may be omitted.
        public init(
            connected: @escaping (_ generation: UInt64) -> Void = { _ in },
            message: @escaping (_ message: InboundMessage, _ generation: UInt64) -> Void,
            disconnected: @escaping (_ error: AMQPConnectError) -> Void = { _ in },
            subscriptionLost: @escaping (_ queue: String) -> Void = { _ in }
        ) {
            self.connected = connected
            self.message = message
            self.disconnected = disconnected
            self.subscriptionLost = subscriptionLost
        }
    }

    private let loop: any EventLoop
    private let link: AMQPLink
    private let probe: AMQPProbe
    private let subscriptions: [Subscription]
    private var handlers: Handlers?
    private var isSubscribed = false
    private var consumerTags: [String: Subscription] = [:]
    private var lastTag = 0
    private var unsettledCalls = 0
    private var waitingCalls: [AMQPCall] = []
    private var patience = AnswerPatience(AnswerPatience.ofConsumers)
    private var patienceCheck: Scheduled<Void>?
    /// The completions of `stopConsuming` that wait until the call in progress is answered.
    private var stopping: [() -> Void] = []

    /// True if no new messages are taken (`stopConsuming`).
    public private(set) var isStopped = false

    /// Creates a consumer for this endpoint; `name` is the name that operators see in the broker's list of connections.
    public init(
        loop: any EventLoop,
        endpoint: AMQPEndpoint,
        name: String,
        subscriptions: [Subscription],
        handlers: Handlers
    ) {
        self.loop = loop
        self.subscriptions = subscriptions
        self.handlers = handlers
        link = AMQPLink(loop: loop, endpoint: endpoint, name: name, confirms: false)
        probe = AMQPProbe(loop: loop, endpoint: endpoint, name: "\(name) probe")
    }

    /// Starts connecting.
    public func start() {
        loop.preconditionInEventLoop()
        link.onUp = { [weak self] in self?.up($0) }
        link.onEvent = { [weak self] in self?.handle($0) }
        link.onDown = { [weak self] in self?.down($0) }
        link.start()
    }

    /// The consumer's state; connected only when all subscriptions are active.
    public var state: AMQPRoleState {
        guard case .connected = link.state, !isSubscribed, !isStopped else { return link.state }
        return .connecting(nil)
    }

    /// The number of the current connection, counted from 1.
    public var generation: UInt64 { link.generation }

    /// The time, by our own clock, until which unacknowledged messages are certainly ours; nil without a connection.
    public var isHeldUntil: NIODeadline? { link.connection?.isHeldUntil }

    /// Acknowledges a message, once; has no effect when the connection that delivered it is gone.
    ///
    /// All acknowledgements of one tick of the loop are sent in one write.
    public func ack(_ deliveryTag: UInt64, generation: UInt64) {
        loop.preconditionInEventLoop()
        guard generation == link.generation else { return }
        link.connection?.acknowledge(deliveryTag)
    }

    /// Stops taking messages but keeps the connection, so that those already delivered can be acknowledged.
    ///
    /// `completion` is called after the last message in flight has been delivered.
    public func stopConsuming(completion: @escaping () -> Void = {}) {
        loop.preconditionInEventLoop()
        isStopped = true
        guard let connection = link.connection else { return completion() }
        // While subscribing, the answer of the call in progress decides which queues are consumed.
        if !waitingCalls.isEmpty { return stopping.append(completion) }
        cancelAll(connection, completion)
    }

    private func cancelAll(_ connection: AMQPConnection, _ completion: @escaping () -> Void) {
        var remaining = consumerTags.count
        guard remaining > 0 else { return completion() }
        for tag in consumerTags.keys {
            connection.call(.cancel(consumerTag: tag)) { _ in
                remaining -= 1
                if remaining == 0 { completion() }
            }
        }
        consumerTags.removeAll()
    }

    /// Takes messages again after `stopConsuming`, on a new connection.
    ///
    /// RabbitMQ before 3.10.9 breaks the channel when a consumer is cancelled and started again while messages are
    /// unacknowledged. Unacknowledged messages return to their queues.
    public func resumeConsuming() {
        loop.preconditionInEventLoop()
        guard isStopped else { return }
        isStopped = false
        isSubscribed = false
        patience.reset()
        tellStopped()
        link.reconnect()
    }

    /// Closes the connection: unacknowledged messages return to their queues.
    ///
    /// No handler is called after this.
    public func close(completion: @escaping () -> Void) {
        loop.preconditionInEventLoop()
        handlers = nil
        patience.reset()
        probe.close {}
        link.close(completion: completion)
    }

    // MARK: - Connection

    private func up(_ connection: AMQPConnection) {
        isSubscribed = false
        consumerTags.removeAll()
        guard !isStopped else { return subscribed() }
        let generation = link.generation
        unsettledCalls = 0
        waitingCalls = []
        patience.reset()
        for subscription in subscriptions { subscribe(subscription, connection, generation) }
        if subscriptions.isEmpty { subscribed() }
    }

    /// Adds a second consumer to a queue, with the same prefetch, until the connection ends.
    ///
    /// Has no effect when the queue is not consumed. A consumer's prefetch cannot be changed while messages are
    /// unacknowledged, so a queue whose messages are kept long gets a second consumer. If other subscriptions are still
    /// being made, they come first.
    public func widen(_ queue: String) {
        loop.preconditionInEventLoop()
        guard !isStopped, let connection = link.connection else { return }
        let isOfQueue = { (subscription: Subscription) in
            if case .queue(queue, _) = subscription { true } else { false }
        }
        if let subscription = consumerTags.values.first(where: isOfQueue) {
            subscribe(subscription, connection, link.generation)
        }
    }

    private func subscribe(_ subscription: Subscription, _ connection: AMQPConnection, _ generation: UInt64) {
        lastTag += 1
        let tag = "fanfare-\(lastTag)"
        var calls: [AMQPCall] = []
        switch subscription {
        case .queue(let queue, let prefetch):
            calls = [.qos(prefetch: prefetch), .consume(queue: queue, consumerTag: tag)]
        case .listener(let exchange, let prefix):
            let queue = "\(prefix).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
            calls = [
                .declareQueue(name: queue, exclusive: true),
                .bindQueue(queue: queue, exchange: exchange, routingKey: ""),
                .consume(queue: queue, consumerTag: tag, noAck: true),
            ]
        }
        consumerTags[tag] = subscription
        unsettledCalls += calls.count
        let isFirst = waitingCalls.isEmpty
        waitingCalls += calls
        if isFirst { makeNextCall(connection, generation) }
    }

    /// Makes one call at a time.
    ///
    /// A queue answers `basic.consume` only when it has a leader, so the answers of concurrent calls could come in
    /// another order.
    private func makeNextCall(_ connection: AMQPConnection, _ generation: UInt64) {
        guard let call = waitingCalls.first else { return }
        awaitAnswer()
        connection.call(call) { [weak self] result in
            // The calls of a connection that was left fail later.
            guard let self, generation == link.generation, link.connection === connection else { return }
            patience.answered(awaitsMore: false, now: NIODeadline.now().sinceBoot)
            if isStopped { return stopped(connection) }
            waitingCalls.removeFirst()
            answered(result, generation)
            makeNextCall(connection, generation)
        }
    }

    /// Limits the wait for an answer while subscribing.
    ///
    /// A consumer that is added later waits as long as any call does, because leaving would give back the messages that
    /// the others hold.
    private func awaitAnswer() {
        guard !isSubscribed else { return }
        patience.asked(now: NIODeadline.now().sinceBoot)
        checkPatience()
    }

    private func checkPatience() {
        guard patienceCheck == nil, let end = patience.end else { return }
        let wait = TimeAmount(max(end - NIODeadline.now().sinceBoot, .milliseconds(1)))
        patienceCheck = loop.assumeIsolated().scheduleTask(in: wait) { [weak self] in
            guard let self else { return }
            patienceCheck = nil
            guard patience.isOver(now: NIODeadline.now().sinceBoot) else { return checkPatience() }
            patience.reset()
            link.leave("consumer")
        }
    }

    /// Handles a stop while subscribing: drops the calls not yet made.
    private func stopped(_ connection: AMQPConnection) {
        let notMade = Set(waitingCalls.dropFirst().compactMap(\.consumerTag))
        waitingCalls = []
        consumerTags = consumerTags.filter { !notMade.contains($0.key) }
        cancelAll(connection) { [weak self] in self?.tellStopped() }
    }

    private func tellStopped() {
        let completions = stopping
        stopping = []
        for completion in completions { completion() }
    }

    /// Counts only successful answers: a refused call closes the channel and with it the connection.
    private func answered(_ result: Result<AMQPReply, AMQPConnectError>, _ generation: UInt64) {
        guard case .success = result, generation == link.generation else { return }
        unsettledCalls -= 1
        if unsettledCalls == 0, !isSubscribed { subscribed() }
    }

    private func subscribed() {
        isSubscribed = true
        link.settled()
        handlers?.connected(link.generation)
    }

    private func down(_ error: AMQPConnectError) {
        isSubscribed = false
        waitingCalls = []
        patience.reset()
        tellStopped()
        handlers?.disconnected(error)
    }

    private func handle(_ event: AMQPEvent) {
        switch event {
        case .message(let message): handlers?.message(message, link.generation)
        case .consumerCancelled(let tag): cancelled(tag)
        default: break
        }
    }

    // MARK: - Deleted queues

    private func cancelled(_ tag: String) {
        guard let subscription = consumerTags.removeValue(forKey: tag) else { return }
        switch subscription {
        case .listener:
            guard !isStopped, let connection = link.connection else { return }
            subscribe(subscription, connection, link.generation)
        case .queue(let queue, _):
            handlers?.subscriptionLost(queue)
            resubscribe(subscription, queue: queue, generation: link.generation, tries: 1)
        }
    }

    /// Probes for a deleted queue and subscribes when it is back.
    ///
    /// Consuming a missing queue would close the channel and requeue the messages of the other queues.
    private func resubscribe(_ subscription: Subscription, queue: String, generation: UInt64, tries: Int) {
        loop.assumeIsolated().scheduleTask(in: AMQPLink.backoff(tries)) { [weak self] in
            guard let self, isWanted(generation) else { return }
            probe.counts(of: queue) { [weak self] result in
                guard let self, isWanted(generation), let connection = link.connection else { return }
                guard case .success(let counts) = result, counts != nil else {
                    return resubscribe(subscription, queue: queue, generation: generation, tries: tries + 1)
                }
                subscribe(subscription, connection, generation)
            }
        }
    }

    private func isWanted(_ generation: UInt64) -> Bool {
        handlers != nil && !isStopped && generation == link.generation && link.connection != nil
    }
}

extension AMQPCall {
    /// The consumer tag of a `consume` call.
    fileprivate var consumerTag: String? {
        if case .consume(_, let tag, _) = self { tag } else { nil }
    }
}
