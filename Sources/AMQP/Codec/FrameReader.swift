/// One whole frame in the reader's buffer.
struct Frame {
    enum Kind: UInt8 {
        case method = 1
        case header = 2
        case body = 3
        case heartbeat = 8
    }

    var kind: Kind
    var channel: UInt16
    /// The payload's range in the reader's buffer, valid until the next `append`.
    var payload: Range<Int>
}

/// Cuts a byte stream into frames and checks their shape before librabbitmq sees them.
///
/// `amqp_handle_input` is not used for this: it skips frames of unknown type without freeing them and keeps a pool for
/// each channel that the peer names. A hostile peer could make it grow without bound.
final class FrameReader {
    /// The largest frame that is accepted, including its 8 bytes of frame header and end mark.
    var frameMax: Int
    private(set) var buffer: [UInt8] = []
    private var start = 0
    private var greeted = false

    static let headerSize = 7
    private static let endMark: UInt8 = 0xCE

    init(frameMax: Int) {
        self.frameMax = frameMax
    }

    /// Appends bytes from the peer; the caller drains `next` before it appends again.
    func append(_ bytes: UnsafeRawBufferPointer) {
        if start > 0 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next whole frame; nil when more bytes are needed.
    func next() throws(AMQPError) -> Frame? {
        let available = buffer.count - start
        guard available > 0 else { return nil }
        if !greeted {
            try checkGreeting(available)
            guard available >= 4 else { return nil }
            greeted = true
        }
        guard let kind = Frame.Kind(rawValue: buffer[start]) else {
            throw .malformed("a frame of type \(buffer[start])")
        }
        guard available >= Self.headerSize else { return nil }
        let channel = UInt16(buffer[start + 1]) << 8 | UInt16(buffer[start + 2])
        guard channel <= 1 else { throw .malformed("a frame on channel \(channel), only 1 was opened") }
        let size = (3...6).reduce(0) { $0 << 8 | Int(buffer[start + $1]) }
        guard size + Self.headerSize + 1 <= frameMax else {
            throw .malformed("a frame of \(size) bytes, at most \(frameMax) were agreed")
        }
        guard available >= Self.headerSize + size + 1 else { return nil }
        let payload = start + Self.headerSize..<start + Self.headerSize + size
        guard buffer[payload.upperBound] == Self.endMark else { throw .malformed("a frame without its end mark") }
        start = payload.upperBound + 1
        return Frame(kind: kind, channel: channel, payload: payload)
    }

    /// A server of another version answers with its own protocol header instead of a frame.
    private func checkGreeting(_ available: Int) throws(AMQPError) {
        let header: StaticString = "AMQP"
        let matches = header.withUTF8Buffer { text in
            (0..<min(4, available)).allSatisfy { buffer[start + $0] == text[$0] }
        }
        guard matches else { return }
        guard available >= 8 else { return }
        let version = buffer[start + 4..<start + 8].map { String($0) }.joined(separator: ".")
        throw .wrongProtocol("with the protocol header AMQP \(version)")
    }
}
