import Delivery
import Glibc
import NIOConcurrencyHelpers
public import NIOCore
import NIOPosix

/// Looks names up and gives all addresses.
///
/// NIO's own connect gives no say in which address is used; a pool spreads its connections over all of them.
public struct AddressResolver: Sendable {
    /// Gives all stream addresses of a host, at least one, or fails; completes on the loop.
    public typealias Resolve =
        @Sendable (_ host: String, _ port: Int, _ loop: any EventLoop) -> EventLoopFuture<[SocketAddress]>

    /// See ``Resolve``.
    public let resolve: Resolve

    /// A resolver of one's own.
    public init(_ resolve: @escaping Resolve) { self.resolve = resolve }

    /// The system's resolver, asked off the event loop; addresses in its order, of the kinds that this machine has.
    public static let system = sharing { try lookUp(host: $0, flags: Int32(AI_ADDRCONFIG)) }

    /// The same for the few names that our configuration has: broker, management API, collector.
    ///
    /// It has threads of its own: thousands of strangers' names that nobody answers for do not keep a worker from its
    /// broker. It gives addresses of all kinds: `localhost` may be ::1 alone on a machine that has no other of IPv6.
    public static let fleet = sharing { try lookUp(host: $0, flags: 0) }

    /// A resolver like the system's, with another way to look a name up, which may block.
    public static func sharing(
        _ lookUp: @escaping @Sendable (_ host: String) throws -> [SocketAddress]
    ) -> AddressResolver {
        let lookups = NameLookups(lookUp)
        return AddressResolver { host, port, loop in
            if let literal = try? SocketAddress(ipAddress: host, port: port) {
                // An IP address needs no look-up; a parse error only says that it is a name.
                return loop.makeSucceededFuture([literal])
            }
            return lookups.addresses(of: host, port: port, on: loop)
        }
    }

    /// A failed look-up.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// What was looked up and what the system says.
        public let description: String

        /// A failure with its text.
        public init(_ description: String) { self.description = description }
    }

    /// Without ports.
    fileprivate static func lookUp(host: String, flags: Int32) throws -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = flags
        var found: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, nil, &hints, &found)
        guard result == 0 else {
            let text = gai_strerror(result).map { String(cString: $0) } ?? "error \(result)"
            throw Failure("cannot look up \(host): \(text)")
        }
        defer { freeaddrinfo(found) }
        var addresses: [SocketAddress] = []
        var next = found
        while let entry = next?.pointee {
            next = entry.ai_next
            // glibc tells 127.0.0.1 twice where /etc/hosts has a line of each kind for `localhost`.
            guard let address = AddressResolver.address(of: entry, host: host), !addresses.contains(address) else {
                continue
            }
            addresses.append(address)
        }
        guard !addresses.isEmpty else { throw Failure("\(host) has no address") }
        return addresses
    }

    private static func address(of entry: addrinfo, host: String) -> SocketAddress? {
        guard let raw = UnsafeRawPointer(entry.ai_addr) else { return nil }
        // Safety: the resolver says by ai_family what ai_addr points to.
        switch entry.ai_family {
        case AF_INET: return SocketAddress(raw.load(as: sockaddr_in.self), host: host)
        case AF_INET6: return SocketAddress(raw.load(as: sockaddr_in6.self), host: host)
        default: return nil
        }
    }
}

/// Looks names up on threads of its own, in the order that `LookupQueue` says.
///
/// Not on the process's own pool: what blocks there for half a minute would hold files and everything else. May be used
/// from any thread.
private final class NameLookups: Sendable {
    private typealias Answer = Result<[SocketAddress], any Error>

    private struct State {
        var queue = LookupQueue()
        var waiting: [String: [@Sendable (Answer) -> Void]] = [:]
    }

    private let lookUp: @Sendable (String) throws -> [SocketAddress]
    private let threads = NIOThreadPool(numberOfThreads: LookupQueue.runningMax)
    private let state = NIOLockedValueBox(State())

    init(_ lookUp: @escaping @Sendable (String) throws -> [SocketAddress]) {
        self.lookUp = lookUp
        threads.start()
    }

    func addresses(of host: String, port: Int, on loop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        let promise = loop.makePromise(of: [SocketAddress].self)
        let begun = state.withLockedValue { state in
            state.waiting[host, default: []].append { answer in
                promise.completeWith(
                    answer.map { addresses in
                        addresses.map { address in
                            var address = address
                            address.port = port
                            return address
                        }
                    }
                )
            }
            return state.queue.ask(host)
        }
        begin(begun)
        return promise.futureResult
    }

    private func begin(_ names: [String]) {
        for name in names {
            threads.submit { _ in
                let answer = Answer { try self.lookUp(name) }
                let (waiting, begun) = self.state.withLockedValue { state in
                    let hasAddress = (try? answer.get())?.isEmpty == false
                    return (state.waiting.removeValue(forKey: name), state.queue.ended(name, hasAddress: hasAddress))
                }
                for body in waiting ?? [] { body(answer) }
                self.begin(begun)
            }
        }
    }
}
