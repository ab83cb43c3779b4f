public import Foundation

extension Pipe {
    /// A pipe that takes not one byte more: who writes to it waits until somebody reads.
    ///
    /// It is full of newlines.
    public static func full() throws -> Pipe {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        while write(descriptor, "\n", 1) == 1 {}
        guard errno == EAGAIN else { throw CocoaError(.fileWriteUnknown) }
        // Whoever gets this end is to wait as it would at any other.
        _ = fcntl(descriptor, F_SETFL, 0)
        return pipe
    }
}
