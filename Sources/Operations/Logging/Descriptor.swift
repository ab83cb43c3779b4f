import Foundation

/// A file descriptor of the process.
enum Descriptor {
    /// Writes bytes and blocks until done; returns the number written, fewer than all when writing fails.
    ///
    /// It is one `write` if the system takes everything, so that lines of several threads and processes do not mix.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        var rest = bytes
        while !rest.isEmpty {
            let written = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if written < 0, errno == EINTR { continue }
            if written < 0, errno == EAGAIN {
                // Another user of the descriptor has made it non-blocking.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
                continue
            }
            guard written > 0 else { break }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
        return bytes.count - rest.count
    }
}
