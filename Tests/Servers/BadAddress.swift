import Foundation
public import NIOCore
import NIOPosix

/// An address of this machine that serves nothing, used beside good addresses of the same name.
///
/// May be used from any task; removed with ``close()``.
public final class BadAddress: Sendable {
    /// The behavior of a connection to it.
    public enum Kind: String, Sendable, CaseIterable {
        /// Nobody listens: the connection is refused at once.
        case refused
        /// The same at ::1, which a machine without IPv6 does not have.
        case refusedIPv6
        /// SYNs are not answered, as by a host that is gone or behind a firewall.
        case unanswered
        /// The connection is established, but the peer never sends anything.
        case mute
        /// The peer closes the connection at once.
        case hangingUp
    }

    /// The address.
    public let socket: SocketAddress
    private let descriptors: [Int32]
    private let channel: (any Channel)?

    /// Creates an address of a kind.
    public init(_ kind: Kind) async throws {
        switch kind {
        case .refused, .refusedIPv6:
            let host = kind == .refused ? "127.0.0.2" : "::1"
            socket = try SocketAddress(ipAddress: host, port: try LoopbackPorts.free(1)[0])
            (descriptors, channel) = ([], nil)
        case .mute:
            let (descriptor, port) = try Self.listen(backlog: 16)
            socket = try SocketAddress(ipAddress: "127.0.0.2", port: port)
            (descriptors, channel) = ([descriptor], nil)
        case .unanswered:
            // Linux drops the SYNs of a full queue; with a backlog of 0 it is full after the first connection.
            let (descriptor, port) = try Self.listen(backlog: 0)
            socket = try SocketAddress(ipAddress: "127.0.0.2", port: port)
            descriptors = [descriptor, try Self.connect(port)]
            channel = nil
        case .hangingUp:
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { $0.close() }
                .bind(host: "127.0.0.2", port: 0).get()
            socket = try SocketAddress(ipAddress: "127.0.0.2", port: server.localAddress?.port ?? 0)
            (descriptors, channel) = ([], server)
        }
    }

    /// Removes the address.
    public func close() async throws {
        for descriptor in descriptors { _ = Foundation.close(descriptor) }
        try await channel?.close()
    }

    private static func listen(backlog: Int32) throws -> (descriptor: Int32, port: Int) {
        let port = try LoopbackPorts.free(1)[0]
        let descriptor = try made()
        let isListening =
            withAddress(port) { bind(descriptor, $0, $1) == 0 } && Foundation.listen(descriptor, backlog) == 0
        guard isListening else {
            _ = Foundation.close(descriptor)
            throw POSIXError(.EADDRINUSE)
        }
        return (descriptor, port)
    }

    private static func connect(_ port: Int) throws -> Int32 {
        let descriptor = try made()
        guard withAddress(port, { Foundation.connect(descriptor, $0, $1) == 0 }) else {
            _ = Foundation.close(descriptor)
            throw POSIXError(.ECONNREFUSED)
        }
        return descriptor
    }

    private static func made() throws -> Int32 {
        let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        return descriptor
    }

    /// Calls a body with the socket address of 127.0.0.2 and a port.
    private static func withAddress<Value>(
        _ port: Int,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0002).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
