import Glibc
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

    /// The system's resolver, asked off the event loop; addresses in its order.
    public static let system = AddressResolver { host, port, loop in
        if let literal = try? SocketAddress(ipAddress: host, port: port) {
            // An IP address needs no look-up; a parse error only says that it is a name.
            return loop.makeSucceededFuture([literal])
        }
        return NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
            try AddressResolver.lookUp(host: host, port: port)
        }
    }

    /// A failed look-up.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// What was looked up and what the system says.
        public let description: String

        /// A failure with its text.
        public init(_ description: String) { self.description = description }
    }

    private static func lookUp(host: String, port: Int) throws -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = Int32(AI_ADDRCONFIG)
        var found: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &found)
        guard result == 0 else {
            let text = gai_strerror(result).map { String(cString: $0) } ?? "error \(result)"
            throw Failure("cannot look up \(host): \(text)")
        }
        defer { freeaddrinfo(found) }
        var addresses: [SocketAddress] = []
        var next = found
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = AddressResolver.address(of: entry, host: host) else { continue }
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
