import Glibc

/// A file that a command reads once from its beginning; `-` is standard input.
///
/// Confined to one task; reading blocks.
package final class InputFile {
    /// A file that cannot be read, with the system's reason.
    package struct Unreadable: Error, CustomStringConvertible {
        /// The reason for people, in one line.
        package let description: String
    }

    /// The path, or `standard input`.
    package let name: String
    /// The size of a file in bytes; nil for a pipe or a terminal.
    package let size: Int64?
    private let descriptor: Int32
    private let isOurs: Bool

    /// Opens the file.
    package init(path: String) throws(Unreadable) {
        isOurs = path != "-"
        name = isOurs ? path : "standard input"
        descriptor = isOurs ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO
        var facts = stat()
        guard descriptor >= 0, fstat(descriptor, &facts) == 0 else { throw Self.unreadable(name, errno) }
        guard facts.st_mode & S_IFMT != S_IFDIR else { throw Self.unreadable(name, EISDIR) }
        size = facts.st_mode & S_IFMT == S_IFREG ? Int64(facts.st_size) : nil
    }

    deinit { if isOurs { close(descriptor) } }

    /// Reads the next bytes; none at the end.
    package func read(upTo count: Int) throws(Unreadable) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var got = Glibc.read(descriptor, buffer.baseAddress, count)
            while got < 0, errno == EINTR { got = Glibc.read(descriptor, buffer.baseAddress, count) }
            if got < 0 { failure = errno }
            filled = max(0, got)
        }
        guard failure == 0 else { throw Self.unreadable(name, failure) }
        return bytes
    }

    /// Reads to the end, but no more than `most` bytes.
    package func readAll(upTo most: Int) throws(Unreadable) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < most {
            let piece = try read(upTo: min(65_536, most - bytes.count))
            if piece.isEmpty { break }
            bytes += piece
        }
        return bytes
    }

    private static func unreadable(_ name: String, _ code: Int32) -> Unreadable {
        Unreadable(description: "\(name) cannot be read: \(String(cString: strerror(code)))")
    }
}
