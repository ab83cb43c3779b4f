import Foundation
import Synchronization

/// Stands between a client and a PostgreSQL server and cuts the connection at a commit.
///
/// Speaks no TLS, so it hears the words. Threads of its own; may be used from any task.
public final class CommitRelay: Sendable {
    /// Where the next commit is cut off; once.
    public enum Cut: Sendable {
        /// The server never hears of it.
        case before
        /// The server does it, and its answer is lost.
        case after
        /// The client is cut off, and the server hears of it only when the client has come back and named itself.
        case late
    }

    /// Where it listens, on 127.0.0.1.
    public let port: Int
    private let server: Int
    private let listener: Int32
    private let armed = Mutex<Cut?>(nil)
    /// A commit that is late, with its connection.
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

    /// Cuts the next commit off.
    public func cut(_ cut: Cut) {
        armed.withLock { $0 = cut }
    }

    /// Whether that has not come yet.
    public var isArmed: Bool { armed.withLock { $0 != nil } }

    /// Takes no connections any more.
    public func end() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func relay(_ client: Int32) {
        let far = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(server)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(far, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            for descriptor in [client, far] { close(descriptor) }
            return
        }
        let link = Link(client: client, far: far)
        Thread.detachNewThread { [self] in
            while let bytes = Self.receive(client) {
                switch bytes.firstRange(of: Data("COMMIT\0".utf8)) == nil ? nil : take() {
                case nil:
                    Self.send(bytes, far)
                    if bytes.firstRange(of: Data("INSERT INTO writers".utf8)) != nil { handOverLate() }
                case .before: link.cut()
                case .after:
                    link.isSilent.store(true, ordering: .releasing)
                    Self.send(bytes, far)
                case .late:
                    late.withLock { $0 = (link, bytes) }
                    shutdown(client, Int32(SHUT_RDWR))
                    return
                }
            }
            link.cut()
        }
        Thread.detachNewThread {
            while let bytes = Self.receive(far) {
                if link.isSilent.load(ordering: .acquiring) { break }
                Self.send(bytes, client)
            }
            link.cut()
        }
    }

    /// The server does a late commit, and then hears that its client is gone.
    private func handOverLate() {
        let late = late.withLock { late in
            defer { late = nil }
            return late
        }
        guard let late else { return }
        Self.send(late.bytes, late.link.far)
        shutdown(late.link.far, Int32(SHUT_WR))
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
        let far: Int32
        let isSilent = Atomic(false)

        init(client: Int32, far: Int32) {
            self.client = client
            self.far = far
        }

        deinit { for descriptor in [client, far] { close(descriptor) } }

        func cut() {
            for descriptor in [client, far] { shutdown(descriptor, Int32(SHUT_RDWR)) }
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
