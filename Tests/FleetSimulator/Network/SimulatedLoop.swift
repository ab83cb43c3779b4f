import Dispatch
import NIOCore
import Transport

/// An event loop that is a queue of work of a host: drivers get it instead of NIO's and do not notice.
///
/// Its tasks run in their order, its timers by the host's clock, and its connections go through the simulated network.
/// Safety: used by the process's only thread, whatever its protocols say of threads.
final class SimulatedLoop: ConnectingEventLoop, @unchecked Sendable {
    let runQueue: RunQueue
    private let network: SimulatedNetwork

    init(_ name: String, of host: SimulatedHost, network: SimulatedNetwork) {
        runQueue = host.runQueue(name)
        self.network = network
    }

    private var host: SimulatedHost { runQueue.host }

    var inEventLoop: Bool { host.scheduler.current === runQueue }

    var now: NIODeadline { .uptimeNanoseconds(UInt64(host.monotonic)) }

    func execute(_ task: @escaping @Sendable () -> Void) { host.scheduler.add(task, to: runQueue) }

    func scheduleTask<T>(
        deadline: NIODeadline,
        _ task: @escaping @Sendable () throws -> T
    ) -> Scheduled<T> {
        let promise = makePromise(of: T.self)
        let cancellation = Cancellation()
        host.schedule(at: Int64(deadline.uptimeNanoseconds), on: runQueue) {
            guard !cancellation.isCancelled else { return }
            do {
                promise.assumeIsolated().succeed(try task())
            } catch {
                promise.fail(error)
            }
        }
        return Scheduled(promise: promise, cancellationTask: { cancellation.isCancelled = true })
    }

    func scheduleTask<T>(
        in amount: TimeAmount,
        _ task: @escaping @Sendable () throws -> T
    ) -> Scheduled<T> {
        scheduleTask(deadline: now + amount, task)
    }

    /// The mark of a timer that is not to fire.
    ///
    /// Safety: used by the process's only thread.
    private final class Cancellation: @unchecked Sendable {
        var isCancelled = false
    }

    func connect(
        to address: SocketAddress,
        timeout: TimeAmount,
        initializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) -> EventLoopFuture<any Channel> {
        network.connect(from: self, to: address, timeout: timeout, initializer: initializer)
    }

    func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        execute { callback(nil) }
    }

    // A crash leaks promises on purpose, so NIO is not asked to find them.
    func _promiseCreated(futureIdentifier: _NIOEventLoopFutureIdentifier, file: StaticString, line: UInt) {}

    func _promiseCompleted(
        futureIdentifier: _NIOEventLoopFutureIdentifier
    ) -> (file: StaticString, line: UInt)? { nil }
}
