import NIOCore

/// Parses one direction of an AMQP 0-9-1 connection as far as an observer needs: published or delivered messages,
/// acknowledgements and confirms.
struct AMQPEavesdropper {
    enum Event {
        /// A `basic.publish` (tag 0) or a `basic.deliver`, with its `message_id`.
        case message(id: String, exchange: String, tag: UInt64, isRedelivered: Bool)
        /// A `basic.ack`; from the broker it is a confirm.
        case acknowledgement(tag: UInt64, multiple: Bool)
    }

    private enum Method {
        static let publish: UInt32 = 60 << 16 | 40
        static let deliver: UInt32 = 60 << 16 | 60
        static let ack: UInt32 = 60 << 16 | 80
    }

    private var buffer = ByteBuffer()
    private var isGreeted = false
    /// A message whose content header has not come yet.
    private var announced: (exchange: String, tag: UInt64, isRedelivered: Bool)?

    /// Parses bytes of this direction; returns the events that they complete.
    mutating func read(_ bytes: ByteBuffer) -> [Event] {
        buffer.writeImmutableBuffer(bytes)
        if !isGreeted {
            // A client begins with eight bytes that are not a frame.
            guard let first = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self) else { return [] }
            if first == UInt8(ascii: "A") {
                guard buffer.readableBytes >= 8 else { return [] }
                buffer.moveReaderIndex(forwardBy: 8)
            }
            isGreeted = true
        }
        var events: [Event] = []
        while let size = buffer.getInteger(at: buffer.readerIndex + 3, as: UInt32.self),
            var frame = buffer.readSlice(length: Int(size) + 8)
        {
            let kind: UInt8? = frame.readInteger()
            frame.moveReaderIndex(forwardBy: 6)
            switch kind {
            case 1: if let event = method(&frame) { events.append(event) }
            case 2: if let event = contentHeader(&frame) { events.append(event) }
            default: break
            }
        }
        return events
    }

    private mutating func method(_ frame: inout ByteBuffer) -> Event? {
        switch frame.readInteger(as: UInt32.self) {
        case Method.publish:
            frame.moveReaderIndex(forwardBy: 2)
            announced = (frame.readShortString(), 0, false)
        case Method.deliver:
            _ = frame.readShortString()
            let tag: UInt64 = frame.readInteger() ?? 0
            let isRedelivered = frame.readInteger(as: UInt8.self) ?? 0
            announced = (frame.readShortString(), tag, isRedelivered & 1 == 1)
        case Method.ack:
            guard let (tag, multiple) = frame.readMultipleIntegers(as: (UInt64, UInt8).self) else { return nil }
            return .acknowledgement(tag: tag, multiple: multiple & 1 == 1)
        default: break
        }
        return nil
    }

    /// Parses the properties, which follow the order of their flags, from the highest bit (AMQP 0-9-1, 4.2.6.1).
    private mutating func contentHeader(_ frame: inout ByteBuffer) -> Event? {
        frame.moveReaderIndex(forwardBy: 12)
        guard let message = announced, let flags: UInt16 = frame.readInteger() else { return nil }
        announced = nil
        let has = { (bit: Int) in flags & 1 << bit != 0 }
        if has(15) { _ = frame.readShortString() }
        if has(14) { _ = frame.readShortString() }
        if has(13) { _ = frame.readLengthPrefixedSlice(as: UInt32.self) }
        if has(12) { frame.moveReaderIndex(forwardBy: 1) }
        if has(11) { frame.moveReaderIndex(forwardBy: 1) }
        for bit in 8...10 where has(bit) { _ = frame.readShortString() }
        let id = has(7) ? frame.readShortString() : ""
        return .message(
            id: id,
            exchange: message.exchange,
            tag: message.tag,
            isRedelivered: message.isRedelivered
        )
    }
}

extension ByteBuffer {
    fileprivate mutating func readShortString() -> String {
        let slice = readLengthPrefixedSlice(as: UInt8.self)
        return slice.map { String(buffer: $0) } ?? ""
    }
}
