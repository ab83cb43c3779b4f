import Delivery
import NIOCore

/// What a try of one address may take of the time for all of them.
struct AddressShare: Sendable {
    /// For all of it: the socket, TLS, a login.
    var whole: TimeAmount
    /// For the socket.
    var socket: TimeAmount

    /// The share that the machine gives a try.
    init(_ next: AddressTries.Try) {
        (whole, socket) = (TimeAmount(next.whole), TimeAmount(next.socket))
    }
}

/// One connection to a name: looks it up and tries its addresses, one after the other, by ``AddressTries``.
///
/// NIO's own connect to a name opens channels side by side and runs the initializer for each of them: a handler, a TLS
/// session or a login that belongs to one channel breaks there. Here each try makes its own. Confined to its loop.
final class AddressWalk<Value, Failure: Error> {
    /// What a failed try means for the others.
    enum Verdict {
        /// The next address is tried.
        case goOn
        /// The same, and this failure says more than that nobody answered: it is told when no other address serves.
        case goOnTelling
        /// Every other address would say the same.
        case stop
    }

    typealias Completion = (Result<Value, Failure>) -> Void

    /// Where to, and how long all of it may take.
    struct Destination {
        var host: String
        var port: Int
        var resolver: AddressResolver
        var timeout: TimeAmount
    }

    /// Makes one try to one address; the completion comes once, on the loop.
    private let attempt: (SocketAddress, AddressShare, @escaping Completion) -> Void
    private let judge: (Failure) -> Verdict
    /// A failure of the look-up.
    private let unresolved: (any Error) -> Failure

    private let loop: any EventLoop
    private let destination: Destination
    private let deadline: NIODeadline
    private var completion: Completion?
    private var alarm: Scheduled<Void>?
    private var addresses: [SocketAddress] = []
    private var tries = AddressTries(count: 0)
    private var telling: Failure?

    /// A walk that begins with ``start(completion:)``.
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

    /// Begins; `completion` comes once, on the loop.
    func start(completion: @escaping Completion) {
        loop.preconditionInEventLoop()
        self.completion = completion
        // A resolver may take half a minute over a name server that is silent.
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
