import Delivery
import NIOCore

/// The share of one address try in the time for all of them.
struct AddressShare: Sendable {
    /// The time for the whole try: the socket, TLS, a login.
    var whole: TimeAmount
    /// The time for the socket.
    var socket: TimeAmount

    /// Takes the share that the state machine assigns to a try.
    init(_ next: AddressTries.Try) {
        (whole, socket) = (TimeAmount(next.whole), TimeAmount(next.socket))
    }
}

/// One connection to a name: resolves it and tries its addresses one after another, as ``AddressTries`` decides.
///
/// NIO's own connect to a name opens channels in parallel and runs the initializer for each of them, which breaks a
/// handler, TLS session or login that belongs to one channel. Here each try creates its own. Confined to its loop.
final class AddressWalk<Value, Failure: Error> {
    /// The consequence of a failed try for the other addresses.
    enum Verdict {
        /// Try the next address.
        case goOn
        /// Try the next address; report this failure if no address works, because it says more than that nobody
        /// answered.
        case goOnTelling
        /// Stop: every other address would give the same answer.
        case stop
    }

    typealias Completion = (Result<Value, Failure>) -> Void

    /// The name, the port and the time for the whole walk.
    struct Destination {
        var host: String
        var port: Int
        var resolver: AddressResolver
        var timeout: TimeAmount
    }

    /// Makes one try at one address; the completion is called once, on the loop.
    private let attempt: (SocketAddress, AddressShare, @escaping Completion) -> Void
    private let judge: (Failure) -> Verdict
    /// Converts a failure to resolve the name.
    private let unresolved: (any Error) -> Failure

    private let loop: any EventLoop
    private let destination: Destination
    private let deadline: NIODeadline
    private var completion: Completion?
    private var alarm: Scheduled<Void>?
    private var addresses: [SocketAddress] = []
    private var tries = AddressTries(count: 0)
    private var telling: Failure?

    /// Creates a walk that begins with ``start(completion:)``.
    init(
        _ destination: Destination,
        loop: any EventLoop,
        attempt: @escaping (SocketAddress, AddressShare, @escaping Completion) -> Void,
        judge: @escaping (Failure) -> Verdict,
        unresolved: @escaping (any Error) -> Failure
    ) {
        self.destination = destination
        self.loop = loop
        self.attempt = attempt
        self.judge = judge
        self.unresolved = unresolved
        deadline = .now() + destination.timeout
    }

    /// Begins the walk; `completion` is called once, on the loop.
    func start(completion: @escaping Completion) {
        loop.preconditionInEventLoop()
        self.completion = completion
        // A resolver may wait half a minute for a silent name server.
        alarm = loop.assumeIsolated().scheduleTask(deadline: deadline) {
            let late = AddressResolver.Failure("cannot look up \(self.destination.host): no answer in time")
            self.end(.failure(self.unresolved(late)))
        }
        destination.resolver.resolve(destination.host, destination.port, loop).assumeIsolated()
            .whenComplete { self.lookedUp($0) }
    }

    private func lookedUp(_ result: Result<[SocketAddress], any Error>) {
        guard completion != nil else { return }
        alarm?.cancel()
        switch result {
        case .failure(let error): end(.failure(unresolved(error)))
        case .success(let found):
            addresses = found
            tries = AddressTries(count: found.count)
            tryNext(after: nil)
        }
    }

    private func tryNext(after failure: Failure?) {
        guard let next = tries.next(left: Duration(deadline - .now())) else {
            let nobody = AddressResolver.Failure("\(destination.host) has no address")
            return end(.failure(telling ?? failure ?? unresolved(nobody)))
        }
        attempt(addresses[next.index], AddressShare(next)) { result in
            guard case .failure(let error) = result else { return self.end(result) }
            switch self.judge(error) {
            case .stop: return self.end(result)
            case .goOnTelling: self.telling = error
            case .goOn: break
            }
            self.tryNext(after: error)
        }
    }

    private func end(_ result: Result<Value, Failure>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}
