import Glibc

/// A test's stand-in for the service manager's end of `NOTIFY_SOCKET`; used by one task.
public final class NotifyListener: Sendable {
    /// The error for a socket that could not be made.
    public struct Failure: Error {}

    private let file: Int32

    /// Listens on a path, or on a name in the abstract namespace after `@`.
    public init(address: String) throws {
        file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let path = address.hasPrefix("@") ? [0] + Array(address.utf8.dropFirst()) : Array(address.utf8)
        guard file >= 0, path.count < MemoryLayout.size(ofValue: name.sun_path) else { throw Failure() }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let status = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, length) }
        }
        guard status == 0 else { throw Failure() }
    }

    deinit { close(file) }

    /// Returns the next received message; nil when there is none.
    public func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(file, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Returns all received assignments in order.
    public func assignments() -> [String] {
        var found: [String] = []
        while let message = next() { found += message.split(separator: "\n").map(String.init) }
        return found
    }
}
