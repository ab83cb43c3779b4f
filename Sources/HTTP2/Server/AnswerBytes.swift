/// The bytes of an answer's body, which a session reads as the client accepts them; many streams may share one copy.
///
/// Confined to the session's thread; the bytes must not change while a session holds them.
public protocol AnswerBytes: AnyObject {
    /// The number of bytes.
    var count: Int { get }
    /// True if others hold the same bytes, so that they do not count as one stream's memory.
    var isShared: Bool { get }
    /// Fills all of `buffer` with the bytes from `start` on; there are enough of them.
    func copy(from start: Int, into buffer: UnsafeMutableRawBufferPointer)
}

/// Bytes that belong to one answer alone.
final class OwnAnswerBytes: AnswerBytes {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { self.bytes.count }
    var isShared: Bool { false }

    func copy(from start: Int, into buffer: UnsafeMutableRawBufferPointer) {
        self.bytes.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + buffer.count]))
        }
    }
}
