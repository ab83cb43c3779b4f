import Glibc

/// The socket of a service manager: one datagram a message (sd_notify(3)); may be used from any thread.
struct NotifySocket: Sendable {
    /// The time that a message may wait for a service manager that does not read.
    private static let timeout = timeval(tv_sec: 2, tv_usec: 0)

    /// The address in `NOTIFY_SOCKET`: a path, or a name in the abstract namespace after `@`.
    let address: String

    /// Returns nil when the address is neither, or too long.
    init?(address: String) {
        let length = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        guard address.hasPrefix("/") || address.hasPrefix("@"), address.utf8.count > 1, address.utf8.count < length
        else { return nil }
        self.address = address
    }

    /// Sends notices in one message; returns true if the service manager has taken it.
    func send(_ notices: [ServiceNotice]) -> Bool {
        guard !notices.isEmpty else { return true }
        let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { return false }
        defer { close(file) }
        var timeout = Self.timeout
        setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(notices.map(\.text).joined(separator: "\n").utf8)
        return withAddress { name, length in
            sendto(file, bytes, bytes.count, Int32(MSG_NOSIGNAL), name, length) == bytes.count
        }
    }

    private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        // An abstract name begins with a zero byte and ends with the address's length only.
        let path = address.hasPrefix("@") ? [0] + Array(address.utf8.dropFirst()) : Array(address.utf8)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        return withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
