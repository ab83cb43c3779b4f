public import AMQP
public import NIOCore

/// A connection that consumes and acknowledges, made again for ever.
///
/// Confined to its event loop: every member is used and every handler is called there. Delivery tags belong to one
/// connection, its `generation`; when that is gone the broker gives its messages to somebody else.
public final class AMQPConsumer {
    /// What is consumed.
    public enum Subscription: Sendable, Equatable {
        /// A queue that exists, with the number of messages that may be unacknowledged.
        case queue(String, prefetch: UInt16)
        /// A queue of our own (classic, exclusive, auto-deleted) that hears everything of a fanout exchange and needs
        /// no acknowledgement; its name begins with `prefix` and is new for each connection.
        case ear(exchange: String, prefix: String)
    }

    /// Who is told what.
    public struct Handlers {
        /// All subscriptions are in force on a new connection.
        public var connected: (_ generation: UInt64) -> Void
        /// A message came.
        public var message: (_ message: InboundMessage, _ generation: UInt64) -> Void
        /// A connection, or a try to make one, failed; what was unacknowledged goes back to its queues.
        public var disconnected: (_ error: AMQPConnectError) -> Void
        /// The broker ended the subscription of a queue (it was deleted); it is taken up again when the queue is back.
        public var subscriptionLost: (_ queue: String) -> Void

        /// Handlers; all but `message` may be left out.
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
    /// Who waits for the end of consuming until the call that is under way is answered.
    private var stopping: [() -> Void] = []

    /// Whether no new messages are taken (`stopConsuming`).
    public private(set) var isStopped = false

    /// A consumer for this endpoint; `name` is what operators see in the broker's list of connections.
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

    /// Begins to connect.
    public func start() {
        loop.preconditionInEventLoop()
        link.onUp = { [weak self] in self?.up($0) }
        link.onEvent = { [weak self] in self?.handle($0) }
        link.onDown = { [weak self] in self?.down($0) }
        link.start()
    }

    /// What it is doing; connected only when all subscriptions are in force.
    public var state: AMQPRoleState {
        guard case .connected = link.state, !isSubscribed, !isStopped else { return link.state }
        return .connecting(nil)
    }

    /// Counts connections from 1.
    public var generation: UInt64 { link.generation }

    /// Until when what is unacknowledged is surely ours, by our own clock; nil without a connection.
    public var isHeldUntil: NIODeadline? { link.connection?.isHeldUntil }

    /// Acknowledges a message, once; without effect when the connection that delivered it is gone.
    ///
    /// All acknowledgements of one turn of the loop leave in one piece.
    public func ack(_ deliveryTag: UInt64, generation: UInt64) {
        loop.preconditionInEventLoop()
        guard generation == link.generation else { return }
        link.connection?.acknowledge(deliveryTag)
    }

    /// Takes no more messages but keeps the connection, so that what is here can be acknowledged.
    ///
    /// `completion` comes when the last message that was under way has been handed over.
    public func stopConsuming(completion: @escaping () -> Void = {}) {
        loop.preconditionInEventLoop()
        isStopped = true
        guard let connection = link.connection else { return completion() }
        // While subscribing, the answer of the call that is under way says which queues are consumed.
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

    /// Takes messages again after `stopConsuming`, on a new connection: RabbitMQ before 3.10.9 breaks the channel
    /// when a consumer is cancelled and taken up again while messages are out.
    ///
    /// What is unacknowledged goes back.
    public func resumeConsuming() {
        loop.preconditionInEventLoop()
        guard isStopped else { return }
        isStopped = false
        isSubscribed = false
        tellStopped()
        link.reconnect()
    }

    /// Closes the connection: what is unacknowledged goes back to its queues.
    ///
    /// No handler is called after this.
    public func close(completion: @escaping () -> Void) {
        loop.preconditionInEventLoop()
        handlers = nil
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
        for subscription in subscriptions { subscribe(subscription, connection, generation) }
        if subscriptions.isEmpty { subscribed() }
    }

    /// Consumes a queue once more, with its prefetch, until the connection ends; without effect when it is not consumed.
    ///
    /// A consumer's prefetch cannot be changed while messages are out, so what is kept for long gets a second one. The
    /// first messages of a queue come while others are still subscribed to: then it is their turn first.
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
        case .ear(let exchange, let prefix):
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

    /// One call at a time: a queue answers `basic.consume` when its leader has it, so answers to calls that are under
    /// way together can come in another order.
    private func makeNextCall(_ connection: AMQPConnection, _ generation: UInt64) {
        guard let call = waitingCalls.first else { return }
        connection.call(call) { [weak self] result in
            guard let self, generation == link.generation else { return }
            if isStopped { return stopped(connection) }
            waitingCalls.removeFirst()
            answered(result, generation)
            makeNextCall(connection, generation)
        }
    }

    /// The consumer was stopped while it subscribed: gives up the calls that are still to be made.
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

    /// A refused call closes the channel and with it the connection, so only answers count here.
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
        case .ear:
            guard !isStopped, let connection = link.connection else { return }
            subscribe(subscription, connection, link.generation)
        case .queue(let queue, _):
            handlers?.subscriptionLost(queue)
            resubscribe(subscription, queue: queue, generation: link.generation, tries: 1)
        }
    }

    /// Consuming a queue that does not exist closes the channel and sends back what the others hold, so the probe
    /// looks first.
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
    /// The consumer that a call starts.
    fileprivate var consumerTag: String? {
        if case .consume(_, let tag, _) = self { tag } else { nil }
    }
}
