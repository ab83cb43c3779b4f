import Foundation

/// Ports on 127.0.0.1.
public enum LoopbackPorts {
    /// Returns different ports that nobody listens on now.
    ///
    /// They are below those that Linux assigns to outgoing connections (32768 to 60999). From that range a restarted
    /// server would sometimes find its port in use, and a client could even connect to itself.
    public static func free(_ count: Int) throws -> [Int] {
        var ports: Set<Int> = []
        for _ in 0..<1000 where ports.count < count {
            let port = Int.random(in: 10_000..<32_000)
            if try isFree(port) { ports.insert(port) }
        }
        guard ports.count == count else { throw POSIXError(.EADDRINUSE) }
        return Array(ports)
    }

    private static func isFree(_ port: Int) throws -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        defer { close(descriptor) }
        var address = loopback(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Returns true if somebody accepts connections on this port.
    public static func accepts(_ port: Int) -> Bool {
        guard let descriptor = connected(port) else { return false }
        close(descriptor)
        return true
    }

    /// Returns true if somebody on this port answers an AMQP protocol header with a method frame.
    public static func answersAMQP(_ port: Int) -> Bool {
        guard let descriptor = connected(port) else { return false }
        defer { close(descriptor) }
        var timeout = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let header: [UInt8] = [0x41, 0x4D, 0x51, 0x50, 0, 0, 9, 1]
        guard send(descriptor, header, header.count, Int32(MSG_NOSIGNAL)) == header.count else { return false }
        var first: UInt8 = 0
        return recv(descriptor, &first, 1, 0) == 1 && first == 1
    }

    private static func connected(_ port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }
}
