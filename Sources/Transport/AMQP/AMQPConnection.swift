import AMQP
import NIOCore
import NIOPosix
import TLS

/// One connection with one channel: the socket, TLS, heartbeats and deadlines around an `AMQPSession`.
///
/// Confined to its event loop. It reports readiness or failure once, and after readiness its end once.
final class AMQPConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    typealias CallCompletion = (Result<AMQPReply, AMQPConnectError>) -> Void

    /// The settings of one connection.
    struct Setting {
        var host: AMQPEndpoint.Host
        var session: AMQPSessionConfiguration
        var tls: TLSClientContext?
        /// True if a channel that the broker closed is reopened; otherwise the connection ends with it.
        var reopensChannel = false
        /// The time for resolving, connecting, TLS and login together, over all of the host's addresses.
        var timeout = TimeAmount.seconds(10)
        /// Resolves the host's name.
        var resolver = AddressResolver.fleet
        /// The time for the answer to a call, and for reopening a channel.
        ///
        /// A channel that waits for a queue's leader, or that publishes during an alarm, may answer nothing although
        /// heartbeats go on.
        var callTimeout = TimeAmount.seconds(30)
    }

    private let loop: any EventLoop
    private let settings: Setting
    private let session: AMQPSession
    private var tls: TLSSession?
    private var context: ChannelHandlerContext?
    private var onReady: ((Result<AMQPConnection, AMQPConnectError>) -> Void)?
    private var pendingCalls: [(since: NIODeadline, completion: CallCompletion)] = []
    private var waitingForOpen: [(since: NIODeadline, action: () -> Void)] = []
    private var callDeadline: Scheduled<Void>?
    private var flushScheduled = false
    private var ended = false
    private var lastReceived = NIODeadline.now()
    private var lastSent = NIODeadline.now()
    private var tick: Scheduled<Void>?
    private var deadline: Scheduled<Void>?
    private var closeCompletions: [() -> Void] = []

    /// Called after the connection is ready, for every event but the answers to calls.
    var onEvent: ((AMQPEvent) -> Void)?
    /// Called once, when a connection that was ready ends.
    var onEnd: ((AMQPConnectError) -> Void)?

    /// Creates a connection that is opened once, with ``open(_:_:completion:)``.
    init(loop: any EventLoop, settings: Setting) {
        self.loop = loop
        self.settings = settings
        session = AMQPSession(settings.session)
    }

    /// Connects to one address and logs in; `completion` is called once, on the loop.
    func open(
        _ address: SocketAddress,
        _ share: AddressShare,
        completion: @escaping (Result<AMQPConnection, AMQPConnectError>) -> Void
    ) {
        loop.preconditionInEventLoop()
        onReady = completion
        if let context = settings.tls {
            do throws(TLSError) {
                tls = try TLSSession(client: context, serverName: settings.host.name)
            } catch {
                return end(.tls(settings.host, error))
            }
        }
        let bound = NIOLoopBound(self, eventLoop: loop)
        deadline = loop.assumeIsolated().scheduleTask(in: share.whole) { [weak self] in
            guard let self else { return }
            end(AMQPConnectError(.unreachable, "RabbitMQ at \(settings.host) is not reachable: no login in time"))
        }
        loop.openChannel(to: address, timeout: share.socket, options: Self.socketOptions) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(bound.value)
            }
        }.assumeIsolated().whenFailure { self.end(.unreachable(self.settings.host, $0)) }
    }

    private static func socketOptions(_ bootstrap: ClientBootstrap) -> ClientBootstrap {
        let bootstrap =
            bootstrap
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
        #if os(Linux)
        // TCP_USER_TIMEOUT: the connection ends when sent data stays unacknowledged for 15 s (reference/reliability.md,
        // 2.2).
        return bootstrap.channelOption(.tcpOption(NIOBSDSocket.Option(rawValue: 18)), value: 15_000)
        #else
        return bootstrap
        #endif
    }

    /// The host that it was made to.
    var host: AMQPEndpoint.Host { settings.host }

    /// True if calls and publishes can be written now.
    var isOpen: Bool { !ended && session.state == .open }

    /// The time, by our own clock, until which the broker certainly considers this connection alive.
    ///
    /// The broker drops the connection after two heartbeats without hearing from it; this is half a heartbeat earlier.
    var isHeldUntil: NIODeadline? {
        guard isOpen else { return nil }
        return min(lastReceived, lastSent) + .milliseconds(Int64(session.heartbeat) * 1500)
    }

    // MARK: - Commands

    /// Makes a call; the answer comes on the loop.
    ///
    /// While a closed channel is being reopened, calls wait for it.
    func call(_ call: AMQPCall, completion: @escaping CallCompletion) {
        loop.preconditionInEventLoop()
        whenOpen { [self] in write(call, completion: completion) }
    }

    /// Runs `action` now or once the channel is open again, or when the connection ends before that.
    func whenOpen(_ action: @escaping () -> Void) {
        guard !ended, !isOpen || !waitingForOpen.isEmpty else { return action() }
        waitingForOpen.append((.now(), action))
        scheduleCallDeadline()
    }

    private func write(_ call: AMQPCall, completion: @escaping CallCompletion) {
        guard !ended else { return completion(.failure(AMQPConnectError(.lost, "the connection is gone"))) }
        do throws(AMQPError) {
            try session.call(call)
            pendingCalls.append((.now(), completion))
            scheduleCallDeadline()
            scheduleFlush()
        } catch {
            completion(.failure(.session(settings.host, error)))
        }
    }

    /// Writes a publish; returns its sequence number on this channel.
    func publish(_ message: OutboundMessage) throws(AMQPError) -> UInt64 {
        guard !ended else { throw .notOpen }
        let sequence = try session.publish(message)
        scheduleFlush()
        return sequence
    }

    /// Acknowledges a delivery; has no effect when the channel is gone.
    func acknowledge(_ deliveryTag: UInt64) {
        guard isOpen, (try? session.acknowledge(deliveryTag)) != nil else { return }
        scheduleFlush()
    }

    /// Closes in an orderly way; `completion` is called when the socket is closed, after 2 s at the latest.
    func close(completion: @escaping () -> Void) {
        loop.preconditionInEventLoop()
        guard !ended, context != nil else {
            end(AMQPConnectError(.closed, "closed"))
            return completion()
        }
        closeCompletions.append(completion)
        guard closeCompletions.count == 1 else { return }
        session.close()
        flush()
        if session.state == .closed { return end(AMQPConnectError(.closed, "closed")) }
        deadline?.cancel()
        deadline = loop.assumeIsolated().scheduleTask(in: .seconds(2)) { [weak self] in
            self?.end(AMQPConnectError(.closed, "closed"))
        }
    }

    // MARK: - Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func channelActive(context: ChannelHandlerContext) {
        guard !ended else { return context.close(promise: nil) }
        lastReceived = .now()
        if let tls {
            do throws(TLSError) {
                try tls.start()
            } catch {
                return end(.tls(settings.host, error))
            }
        }
        flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let now = NIODeadline.now()
        // After a freeze of the process these bytes are stale: the broker has given its messages to others meanwhile.
        if now - lastReceived >= silenceMax, onReady == nil { return end(silent) }
        lastReceived = now
        let buffer = unwrapInboundIn(data)
        guard let tls else { return buffer.withUnsafeReadableBytes { receive($0) } }
        do throws(TLSError) {
            let result = buffer.withUnsafeReadableBytes { bytes -> Result<Void, TLSError> in
                do throws(TLSError) {
                    return .success(try tls.receive(bytes) { receive($0) })
                } catch {
                    return .failure(error)
                }
            }
            try result.get()
            if tls.state == .closed { end(hungUp) }
        } catch {
            flush()
            end(.tls(settings.host, error))
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(hungUp)
    }

    private var hungUp: AMQPConnectError {
        guard onReady != nil else { return AMQPConnectError(.lost, "RabbitMQ at \(settings.host) hung up") }
        return AMQPConnectError(
            .unreachable,
            "\(settings.host) hung up during the login: is this RabbitMQ's AMQP port, and is TLS set as it expects?"
        )
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let reason = SocketErrorText.words(error)
        end(AMQPConnectError(.lost, "the connection to RabbitMQ at \(settings.host) broke: \(reason)"))
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard !ended else { return }
        do throws(AMQPError) {
            try session.receive(bytes) { handle($0) }
        } catch {
            end(.session(settings.host, error))
        }
    }

    private func handle(_ event: AMQPEvent) {
        guard !ended else { return }
        switch event {
        case .opened: opened()
        case .reply(let reply):
            guard !pendingCalls.isEmpty else { return }
            pendingCalls.removeFirst().completion(.success(reply))
        case .channelClosed(let code, let text):
            let error = AMQPConnectError.channelClosed(settings.host, code: code, text: text)
            failCalls(error)
            guard settings.reopensChannel else {
                // Sends channel.close-ok, which is still in the output.
                flush()
                return end(error)
            }
            onEvent?(event)
            try? session.reopenChannel()
        case .connectionClosed(let code, let text):
            flush()
            guard onReady != nil else { return end(.closedByBroker(settings.host, code: code, text: text)) }
            let (user, virtualHost) = (settings.session.user, settings.session.virtualHost)
            end(.refusedLogin(settings.host, user: user, virtualHost: virtualHost, code: code, text: text))
        case .closed: end(AMQPConnectError(.closed, "closed"))
        default: onEvent?(event)
        }
    }

    private func opened() {
        if let onReady {
            self.onReady = nil
            deadline?.cancel()
            scheduleTick()
            onReady(.success(self))
        }
        proceed()
    }

    private func proceed() {
        let waiting = waitingForOpen
        waitingForOpen = []
        for (_, action) in waiting { action() }
    }

    private func failCalls(_ error: AMQPConnectError) {
        let failed = pendingCalls
        pendingCalls = []
        for (_, completion) in failed { completion(.failure(error)) }
    }

    private var oldestCall: NIODeadline? {
        [pendingCalls.first?.since, waitingForOpen.first?.since].compactMap(\.self).min()
    }

    private func scheduleCallDeadline() {
        guard callDeadline == nil, let oldest = oldestCall else { return }
        callDeadline = loop.assumeIsolated().scheduleTask(deadline: oldest + settings.callTimeout) { [weak self] in
            self?.checkCalls()
        }
    }

    private func checkCalls() {
        callDeadline = nil
        guard let oldest = oldestCall, NIODeadline.now() >= oldest + settings.callTimeout else {
            return scheduleCallDeadline()
        }
        end(
            AMQPConnectError(
                .lost,
                "RabbitMQ at \(settings.host) does not answer: is it in an alarm, or do its queues lack a leader?"
            )
        )
    }

    private func end(_ error: AMQPConnectError) {
        guard !ended else { return }
        ended = true
        tick?.cancel()
        deadline?.cancel()
        context?.close(promise: nil)
        callDeadline?.cancel()
        failCalls(error)
        proceed()
        let ready = onReady
        let ending = onEnd
        (onReady, onEnd, onEvent) = (nil, nil, nil)
        if let ready { ready(.failure(error)) } else { ending?(error) }
        let completions = closeCompletions
        closeCompletions = []
        for completion in completions { completion() }
    }

    // MARK: - Writing and heartbeats

    /// Batches everything written in one tick of the loop into one write.
    private func scheduleFlush() {
        guard !flushScheduled else { return }
        flushScheduled = true
        loop.assumeIsolated().execute { self.flush() }
    }

    private func flush() {
        flushScheduled = false
        guard let context, context.channel.isActive else { return }
        guard let tls else {
            guard session.pendingBytes > 0 else { return }
            var buffer = context.channel.allocator.buffer(capacity: session.pendingBytes)
            session.drain { buffer.writeBytes($0) }
            return send(buffer, context)
        }
        if tls.state == .established {
            var failure: TLSError?
            session.drain { bytes in
                do throws(TLSError) { try tls.write(bytes) } catch { failure = error }
            }
            if let failure { return end(.tls(settings.host, failure)) }
        }
        guard tls.pendingBytes > 0 else { return }
        var buffer = context.channel.allocator.buffer(capacity: tls.pendingBytes)
        while tls.pendingBytes > 0 {
            let pending = tls.pendingBytes
            buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: pending) { tls.drain(into: $0) }
        }
        send(buffer, context)
    }

    private func send(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        lastSent = .now()
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    /// Two missed heartbeats end the connection (AMQP 0-9-1, 4.2.7).
    private var silenceMax: TimeAmount { .seconds(Int64(session.heartbeat) * 2) }

    private var silent: AMQPConnectError {
        AMQPConnectError(.heartbeatMissed, "RabbitMQ at \(settings.host) was silent for two heartbeats")
    }

    private func scheduleTick() {
        let half = TimeAmount.milliseconds(Int64(session.heartbeat) * 500)
        tick = loop.assumeIsolated().scheduleTask(in: half) { [weak self] in self?.beat(half) }
    }

    /// Sends a heartbeat after half a heartbeat without other output.
    private func beat(_ half: TimeAmount) {
        guard !ended else { return }
        let now = NIODeadline.now()
        guard now - lastReceived < silenceMax else { return end(silent) }
        if now - lastSent >= half {
            session.sendHeartbeat()
            flush()
        }
        scheduleTick()
    }
}
