public import AMQP
import Delivery
public import NIOCore

/// A connection that publishes with confirms; it reconnects forever.
///
/// Confined to its event loop: every member is used and every completion is called there. Each publish is completed
/// exactly once, after the timeout at the latest. Publishes without a connection wait for one. A node of several that
/// confirms nothing is left for the next one.
public final class AMQPPublisher {
    /// The limits of a publisher.
    public struct Limits: Sendable {
        /// The time from `publish` to the confirm; 10 s (design, section 7).
        public var timeout: Duration
        /// The number of publishes that may be written and unconfirmed; more wait.
        public var unconfirmed: Int
        /// The number of publishes that may wait; more are completed with `queueFull` at once.
        public var waiting: Int

        /// Creates limits.
        public init(timeout: Duration = .seconds(10), unconfirmed: Int = 1000, waiting: Int = 10_000) {
            self.timeout = timeout
            self.unconfirmed = unconfirmed
            self.waiting = waiting
        }
    }

    private struct Waiting {
        var message: OutboundMessage
        var since: Duration
        var completion: (PublishResult) -> Void
    }

    private let loop: any EventLoop
    private let link: AMQPLink
    private let limits: Limits
    private var queue: [Waiting] = []
    private var queueHead = 0
    private var window: PublishWindow
    private var pumpScheduled = false
    private var patience = AnswerPatience(AnswerPatience.ofConfirms)
    private var timer: Scheduled<Void>?
    private var closing: (() -> Void)?
    private var isClosed = false

    /// True while the broker is in alarm and accepts no publishes; they wait here.
    public private(set) var isBlocked = false
    /// Called when `state` or `isBlocked` changed, with the error when a connection or an attempt failed.
    public var onChange: ((AMQPConnectError?) -> Void)?

    /// Creates a publisher for this endpoint; `name` is the name that operators see in the broker's list of
    /// connections, and `seed`, the name by default, decides the order in which the hosts are tried.
    public init(
        loop: any EventLoop,
        endpoint: AMQPEndpoint,
        name: String,
        seed: String? = nil,
        limits: Limits = Limits()
    ) {
        self.loop = loop
        self.limits = limits
        link = AMQPLink(loop: loop, endpoint: endpoint, name: name, seed: seed, confirms: true)
        window = PublishWindow(timeout: limits.timeout)
    }

    /// Starts connecting.
    public func start() {
        loop.preconditionInEventLoop()
        link.onUp = { [weak self] _ in self?.up() }
        link.onEvent = { [weak self] event in self?.handle(event) }
        link.onDown = { [weak self] error in self?.down(error) }
        link.start()
    }

    /// The publisher's state.
    public var state: AMQPRoleState { link.state }
    /// The number of the current connection, counted from 1; 0 before the first.
    public var generation: UInt64 { link.generation }
    /// The number of publishes that were written and wait for their confirm.
    public var unconfirmedCount: Int { window.count }
    /// The number of publishes that wait to be written.
    public var waitingCount: Int { queue.count - queueHead }

    /// Publishes a message; `completion` is called once, never before this returns.
    public func publish(_ message: OutboundMessage, completion: @escaping (PublishResult) -> Void) {
        loop.preconditionInEventLoop()
        guard !isClosed, closing == nil, waitingCount < limits.waiting else {
            let result: PublishResult = isClosed || closing != nil ? .connectionLost : .queueFull
            return loop.assumeIsolated().execute { completion(result) }
        }
        queue.append(Waiting(message: message, since: NIODeadline.now().sinceBoot, completion: completion))
        schedulePump()
        scheduleTimer()
    }

    /// Waits for the outstanding confirms, up to the timeout, then closes.
    public func close(completion: @escaping () -> Void) {
        loop.preconditionInEventLoop()
        guard !isClosed, closing == nil else { return completion() }
        closing = completion
        finishClosing()
    }

    private func finishClosing() {
        guard let completion = closing, waitingCount == 0, window.count == 0 else { return }
        closing = nil
        isClosed = true
        timer?.cancel()
        link.close(completion: completion)
    }

    // MARK: - Connection

    private func up() {
        link.settled()
        isBlocked = false
        patience.reset()
        pump()
        onChange?(nil)
    }

    private func down(_ error: AMQPConnectError) {
        isBlocked = false
        patience.reset()
        tell(window.connectionLost())
        onChange?(error)
    }

    private func handle(_ event: AMQPEvent) {
        switch event {
        case .blocked:
            isBlocked = true
            patience.reset()
            onChange?(nil)
        case .unblocked:
            isBlocked = false
            if window.count > 0 { patience.asked(now: NIODeadline.now().sinceBoot) }
            pump()
            onChange?(nil)
        default:
            guard let settled = window.handle(event) else {
                // The session has checked the number, so this is a tag of 0 without `multiple`: reconnect.
                tell(window.connectionLost())
                return link.reconnect()
            }
            patience.answered(awaitsMore: window.count > 0, now: NIODeadline.now().sinceBoot)
            tell(settled)
            schedulePump()
        }
    }

    private func tell(_ settled: [(PublishWindow.Completion, PublishResult)]) {
        for (completion, result) in settled { completion(result) }
        finishClosing()
    }

    // MARK: - Writing

    private func schedulePump() {
        guard !pumpScheduled else { return }
        pumpScheduled = true
        loop.assumeIsolated().execute { self.pump() }
    }

    private func pump() {
        pumpScheduled = false
        guard let connection = link.connection, connection.isOpen, !isBlocked else { return }
        while waitingCount > 0, window.count < limits.unconfirmed {
            let next = queue[queueHead]
            dropFirst()
            do throws(AMQPError) {
                let sequence = try connection.publish(next.message)
                window.add(next.message, sequence: sequence, since: next.since, next.completion)
                patience.asked(now: NIODeadline.now().sinceBoot)
            } catch {
                next.completion(error.code == .notOpen ? .connectionLost : .invalid(error))
            }
        }
        finishClosing()
    }

    private func dropFirst() {
        queueHead += 1
        guard queueHead == queue.count || queueHead > 1024 else { return }
        queue.removeSubrange(..<queueHead)
        queueHead = 0
    }

    // MARK: - Time-outs

    /// The earliest deadline; written publishes are older than waiting ones, so it is the window's if it has one.
    private var nextDeadline: Duration? {
        let publish = window.nextDeadline ?? (waitingCount > 0 ? queue[queueHead].since + limits.timeout : nil)
        return [publish, link.hasOtherHosts ? patience.end : nil].compactMap(\.self).min()
    }

    private func scheduleTimer() {
        guard timer == nil, let deadline = nextDeadline else { return }
        let wait = max(deadline - NIODeadline.now().sinceBoot, .milliseconds(1))
        timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) { [weak self] in self?.timeOut() }
    }

    private func timeOut() {
        timer = nil
        let now = NIODeadline.now().sinceBoot
        var settled = window.timeOut(now: now)
        while waitingCount > 0, queue[queueHead].since + limits.timeout <= now {
            settled.append((queue[queueHead].completion, .timedOut))
            dropFirst()
        }
        tell(settled)
        if link.hasOtherHosts, patience.isOver(now: now) {
            patience.reset()
            link.leave("publish")
        }
        schedulePump()
        scheduleTimer()
    }
}
