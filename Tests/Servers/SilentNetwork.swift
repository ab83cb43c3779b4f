import Foundation

/// A port that never answers on any loopback address, like a network of hosts that are gone or behind a firewall.
///
/// One socket holds the port on all of them: Linux drops the SYNs of a full queue. May be used from any task; ends with
/// ``close()``.
public final class SilentNetwork: Sendable {
    /// The port.
    public let port: Int
    private let descriptors: [Int32]

    /// Creates a silent port.
    public init() throws {
        port = try LoopbackPorts.free(1)[0]
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let filling = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        descriptors = [listening, filling]
        let isFull =
            listening >= 0 && filling >= 0
            // Only this machine can reach the queue.
            && setsockopt(listening, SOL_SOCKET, SO_BINDTODEVICE, "lo", 2) == 0
            && Self.withAddress(0, port) { bind(listening, $0, $1) == 0 } && listen(listening, 0) == 0
            && Self.withAddress(0x7F00_0001, port) { connect(filling, $0, $1) == 0 }
        guard isFull else {
            close()
            throw POSIXError(.EADDRINUSE)
        }
    }

    /// Returns the address of one of its hosts, all different below 64,516.
    public func host(_ number: Int) -> String { "127.1.\(1 + number / 254).\(1 + number % 254)" }

    /// Makes the port answer again, with a refusal.
    public func close() {
        for descriptor in descriptors where descriptor >= 0 { _ = Foundation.close(descriptor) }
    }

    private static func withAddress<Value>(
        _ host: UInt32,
        _ port: Int,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(host).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
