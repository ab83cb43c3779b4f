import Delivery
import Glibc
import NIOConcurrencyHelpers
public import NIOCore
import NIOPosix

/// Resolves names to all their addresses.
///
/// NIO's own connect does not let the caller choose an address; a pool spreads its connections over all of them.
public struct AddressResolver: Sendable {
    /// Returns all stream addresses of a host, at least one, or fails; completes on the loop.
    public typealias Resolve =
        @Sendable (_ host: String, _ port: Int, _ loop: any EventLoop) -> EventLoopFuture<[SocketAddress]>

    /// The resolving function; see ``Resolve``.
    public let resolve: Resolve

    /// Creates a resolver from a function.
    public init(_ resolve: @escaping Resolve) { self.resolve = resolve }

    /// The system's resolver, called off the event loop; addresses in its order, of the families that this machine has.
    public static let system = sharing { try lookUp(host: $0, flags: Int32(AI_ADDRCONFIG)) }

    /// The resolver for the few names in our configuration: broker, management API, collector.
    ///
    /// It has its own threads: thousands of unanswered look-ups of strangers' names do not delay the broker's. It
    /// returns addresses of all families: `localhost` may be ::1 alone on a machine that has no other IPv6 address.
    public static let fleet = sharing { try lookUp(host: $0, flags: 0) }

    /// Creates a resolver like the system's with another look-up function, which may block.
    public static func sharing(
        _ lookUp: @escaping @Sendable (_ host: String) throws -> [SocketAddress]
    ) -> AddressResolver {
        let lookups = NameLookups(lookUp)
        return AddressResolver { host, port, loop in
            if let literal = try? SocketAddress(ipAddress: host, port: port) {
                // An IP address needs no look-up; a parse error only means that the host is a name.
                return loop.makeSucceededFuture([literal])
            }
            return lookups.addresses(of: host, port: port, on: loop)
        }
    }

    /// A failed look-up.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// The name that was looked up and the system's error.
        public let description: String

        /// Creates a failure with its text.
        public init(_ description: String) { self.description = description }
    }

    /// Looks a host up; the addresses have no port.
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
            // glibc returns 127.0.0.1 twice when /etc/hosts has an IPv4 and an IPv6 line for `localhost`.
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
        // Safety: the resolver states in ai_family the type that ai_addr points to.
        switch entry.ai_family {
        case AF_INET: return SocketAddress(raw.load(as: sockaddr_in.self), host: host)
        case AF_INET6: return SocketAddress(raw.load(as: sockaddr_in6.self), host: host)
        default: return nil
        }
    }
}

/// Looks names up on its own threads, in the order that `LookupQueue` decides.
///
/// It does not use the process's shared pool, where look-ups that block for half a minute would delay file access and
/// all else. May be used from any thread.
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
        // With the first name: a process that is given addresses has none of these threads.
        if !names.isEmpty { threads.start() }
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
