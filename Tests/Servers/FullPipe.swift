public import Foundation

extension Pipe {
    /// Returns a full pipe: a writer waits until somebody reads.
    ///
    /// It is full of newlines.
    public static func full() throws -> Pipe {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        while write(descriptor, "\n", 1) == 1 {}
        guard errno == EAGAIN else { throw CocoaError(.fileWriteUnknown) }
        // The receiver of this end must block on it as on any other.
        _ = fcntl(descriptor, F_SETFL, 0)
        return pipe
    }
}
