/// The bytes of an answer's body, which a session reads when the client takes them: many streams may share one copy.
///
/// Confined to the session's thread; it does not change while a session has it.
public protocol AnswerBytes: AnyObject {
    /// How many there are.
    var count: Int { get }
    /// Whether others have the same bytes, so that no stream is the one that holds them.
    var isShared: Bool { get }
    /// Fills `buffer` with the bytes from `start` on; there are as many.
    func copy(from start: Int, into buffer: UnsafeMutableRawBufferPointer)
}

/// Bytes of one answer alone.
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
