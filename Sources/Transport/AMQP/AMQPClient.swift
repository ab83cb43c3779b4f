public import AMQP
public import NIOCore

/// One connection for commands and checks, with async calls; it does not reconnect.
///
/// May be used from any task. A refused call (404, 406 …) is an error of that call only: the channel is reopened.
public final class AMQPClient: Sendable {
    private let loop: any EventLoop
    private let state: NIOLoopBound<State>
    /// Messages of the consumers that were started with `call(.consume(…))`; the stream ends with the connection.
    public let messages: AsyncStream<InboundMessage>

    private final class State {
        let connection: AMQPConnection
        var window: PublishWindow
        var timer: Scheduled<Void>?
        let loop: any EventLoop

        init(_ connection: AMQPConnection, loop: any EventLoop, timeout: Duration) {
            self.connection = connection
            self.loop = loop
            window = PublishWindow(timeout: timeout)
        }
    }

    private init(_ state: State, _ messages: AsyncStream<InboundMessage>) {
        loop = state.loop
        self.state = NIOLoopBound(state, eventLoop: state.loop)
        self.messages = messages
    }

    /// Connects to the first host that answers; throws the error of the last one tried.
    ///
    /// `confirmTimeout` bounds each `publish`, and `callTimeout` each call: an unanswered call ends the connection.
    /// `resolver` resolves the hosts, whose addresses are tried one after another.
    public static func connect(
        _ endpoint: AMQPEndpoint,
        name: String,
        on loop: any EventLoop,
        confirmTimeout: Duration = .seconds(10),
        callTimeout: Duration = .seconds(30),
        resolver: AddressResolver = .fleet
    ) async throws(AMQPConnectError) -> AMQPClient {
        let tls = try endpoint.makeTLSContext()
        var failure = AMQPConnectError(.unreachable, "amqp.url names no host")
        for host in endpoint.hosts.shuffled() {
            var settings = endpoint.settings(host: host, name: name, confirms: true, tls: tls, reopensChannel: true)
            settings.callTimeout = TimeAmount(callTimeout)
            settings.resolver = resolver
            let result = await withCheckedContinuation { [settings] continuation in
                loop.execute {
                    AMQPConnection.connect(loop: loop, settings: settings) { result in
                        continuation.resume(
                            returning: result.map { make($0, loop: loop, timeout: confirmTimeout) }
                        )
                    }
                }
            }
            switch result {
            case .success(let client): return client
            case .failure(let error):
                failure = error
                // Another node of the cluster would refuse the same user and virtual host.
                if error.kind == .wrongPassword || error.kind == .virtualHost { throw error }
            }
        }
        throw failure
    }

    private static func make(_ connection: AMQPConnection, loop: any EventLoop, timeout: Duration) -> AMQPClient {
        let (messages, continuation) = AsyncStream<InboundMessage>.makeStream()
        let state = State(connection, loop: loop, timeout: timeout)
        connection.onEvent = { [weak state] event in
            switch event {
            case .message(let message): continuation.yield(message)
            case .channelClosed: state.map { tell($0.window.connectionLost()) }
            default:
                guard let state, let settled = state.window.handle(event) else { return }
                tell(settled)
            }
        }
        connection.onEnd = { [weak state] _ in
            continuation.finish()
            state.map { tell($0.window.connectionLost()) }
        }
        return AMQPClient(state, messages)
    }

    private static func tell(_ settled: [(PublishWindow.Completion, PublishResult)]) {
        for (completion, result) in settled { completion(result) }
    }

    /// Makes a call and returns the broker's answer.
    @discardableResult
    public func call(_ call: AMQPCall) async throws(AMQPConnectError) -> AMQPReply {
        let result = await withCheckedContinuation { continuation in
            loop.execute { [state] in
                state.value.connection.call(call) { continuation.resume(returning: $0) }
            }
        }
        return try result.get()
    }

    /// Publishes a message and waits for the confirm.
    public func publish(_ message: OutboundMessage) async -> PublishResult {
        await withCheckedContinuation { continuation in
            loop.execute { [state] in
                let state = state.value
                state.connection.whenOpen {
                    Self.publish(message, state) { continuation.resume(returning: $0) }
                }
            }
        }
    }

    private static func publish(
        _ message: OutboundMessage,
        _ state: State,
        completion: @escaping (PublishResult) -> Void
    ) {
        do throws(AMQPError) {
            let sequence = try state.connection.publish(message)
            state.window.add(message, sequence: sequence, since: NIODeadline.now().sinceBoot, completion)
            scheduleTimer(state)
        } catch {
            completion(error.code == .notOpen ? .connectionLost : .invalid(error))
        }
    }

    private static func scheduleTimer(_ state: State) {
        guard state.timer == nil, let deadline = state.window.nextDeadline else { return }
        let wait = max(deadline - NIODeadline.now().sinceBoot, .milliseconds(1))
        state.timer = state.loop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) {
            state.timer = nil
            tell(state.window.timeOut(now: NIODeadline.now().sinceBoot))
            scheduleTimer(state)
        }
    }

    /// Acknowledges a message of `messages`.
    public func ack(_ deliveryTag: UInt64) {
        loop.execute { [state] in state.value.connection.acknowledge(deliveryTag) }
    }

    /// Returns the ready messages and consumers of a queue; nil when there is no such queue.
    public func counts(of queue: String) async throws(AMQPConnectError) -> QueueCounts? {
        do {
            guard case .queue(_, let ready, let consumers) = try await call(.checkQueue(name: queue)) else {
                return nil
            }
            return QueueCounts(ready: ready, consumers: consumers)
        } catch {
            guard error.kind == .channelClosed(404) else { throw error }
            return nil
        }
    }

    /// Returns true if an exchange exists.
    public func exchangeExists(_ name: String) async throws(AMQPConnectError) -> Bool {
        do {
            try await call(.checkExchange(name: name))
            return true
        } catch {
            guard error.kind == .channelClosed(404) else { throw error }
            return false
        }
    }

    /// Closes the connection in an orderly way.
    public func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            loop.execute { [state] in state.value.connection.close { continuation.resume() } }
        }
    }
}
