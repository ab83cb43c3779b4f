import Foundation
import Synchronization

/// A relay between a client and a PostgreSQL server that cuts the connection at a commit.
///
/// It speaks no TLS, so that it can read the statements. It has its own threads and may be used from any task.
public final class CommitRelay: Sendable {
    /// The point at which the next commit is cut off, once.
    public enum Cut: Sendable {
        /// The server never receives the commit.
        case before
        /// The server commits, and its answer is lost.
        case after
        /// The client is cut off; the server receives the commit only after the client has reconnected and named
        /// itself.
        case late
    }

    /// The port that it listens on, on 127.0.0.1.
    public let port: Int
    private let server: Int
    private let listener: Int32
    private let armed = Mutex<Cut?>(nil)
    /// A delayed commit with its connection.
    private let late = Mutex<(link: Link, bytes: Data)?>(nil)

    /// Starts to relay to a port on 127.0.0.1.
    public init(to server: Int) throws {
        self.server = server
        port = try LoopbackPorts.free(1)[0]
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0, listen(listener, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                relay(client)
            }
        }
    }

    /// Cuts off the next commit.
    public func cut(_ cut: Cut) {
        armed.withLock { $0 = cut }
    }

    /// True while that commit has not come.
    public var isArmed: Bool { armed.withLock { $0 != nil } }

    /// Stops accepting connections.
    public func end() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func relay(_ client: Int32) {
        let peer = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(server)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(peer, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            for descriptor in [client, peer] { close(descriptor) }
            return
        }
        let link = Link(client: client, peer: peer)
        Thread.detachNewThread { [self] in
            while let bytes = Self.receive(client) {
                switch bytes.firstRange(of: Data("COMMIT\0".utf8)) == nil ? nil : take() {
                case nil:
                    Self.send(bytes, peer)
                    if bytes.firstRange(of: Data("INSERT INTO writers".utf8)) != nil { handOverLate() }
                case .before: link.cut()
                case .after:
                    link.isSilent.store(true, ordering: .releasing)
                    Self.send(bytes, peer)
                case .late:
                    late.withLock { $0 = (link, bytes) }
                    shutdown(client, Int32(SHUT_RDWR))
                    return
                }
            }
            link.cut()
        }
        Thread.detachNewThread {
            while let bytes = Self.receive(peer) {
                if link.isSilent.load(ordering: .acquiring) { break }
                Self.send(bytes, client)
            }
            link.cut()
        }
    }

    /// Sends a delayed commit to the server, then shuts down the sending side of that connection.
    private func handOverLate() {
        let late = late.withLock { late in
            defer { late = nil }
            return late
        }
        guard let late else { return }
        Self.send(late.bytes, late.link.peer)
        shutdown(late.link.peer, Int32(SHUT_WR))
    }

    private func take() -> Cut? {
        armed.withLock { cut in
            defer { cut = nil }
            return cut
        }
    }

    /// The two ends of one connection; closed when both threads are done with it.
    private final class Link: Sendable {
        let client: Int32
        let peer: Int32
        let isSilent = Atomic(false)

        init(client: Int32, peer: Int32) {
            self.client = client
            self.peer = peer
        }

        deinit { for descriptor in [client, peer] { close(descriptor) } }

        func cut() {
            for descriptor in [client, peer] { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private static func receive(_ descriptor: Int32) -> Data? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Data(bytes[..<count]) : nil
    }

    private static func send(_ data: Data, _ descriptor: Int32) {
        var rest = [UInt8](data)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }
}
