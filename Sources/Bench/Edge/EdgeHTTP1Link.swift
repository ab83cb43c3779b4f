import NIOCore

/// A connection whose answers come in the order of the requests.
final class EdgeHTTP1Link: EdgeLink, ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let load: EdgeLoad
    private let opens: EdgeOpens
    /// The numbers of requests without an answer.
    private var waiting = CircularBuffer<Int>()
    private var unread = ByteBuffer()
    private var unwritten = ByteBuffer()
    /// Nil after the connection has ended.
    private var context: ChannelHandlerContext?

    init(load: EdgeLoad, opens: EdgeOpens) {
        self.load = load
        self.opens = opens
    }

    // MARK: Sending

    func send(_ number: Int) {
        guard context != nil else { return load.lost() }
        if unwritten.readableBytes == 0 { load.needsFlush(self) }
        waiting.append(number)
        opens.appendHTTP1(number, to: &unwritten)
    }

    func flush() {
        guard let context, unwritten.readableBytes > 0 else { return }
        context.writeAndFlush(Self.wrapOutboundOut(unwritten), promise: nil)
        // Reuses the memory if the channel has released it.
        unwritten.clear()
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        load.linkIsReady()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Self.unwrapInboundIn(data)
        unread.writeBuffer(&bytes)
        let now = NIODeadline.now()
        while let status = next() {
            guard let number = waiting.popFirst() else { return context.close(promise: nil) }
            load.answered(number, status: status, at: now)
        }
        if unread.readableBytes == 0 { unread.clear() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        load.linkEnded("without a word")
        while waiting.popFirst() != nil { load.lost() }
    }

    // MARK: Answers

    /// Takes out the next complete answer and returns its status; nil while it is incomplete.
    private func next() -> Int? {
        let found = unread.withUnsafeReadableBytes { bytes -> (status: Int, length: Int)? in
            guard let head = Self.end(of: bytes), head > 12 else { return nil }
            let status = bytes[9..<12].reduce(0) { $0 * 10 + Int($1 & 15) }
            let length = head + Self.contentLength(UnsafeRawBufferPointer(rebasing: bytes[..<head]))
            return length <= bytes.count ? (status, length) : nil
        }
        guard let found else { return nil }
        unread.moveReaderIndex(forwardBy: found.length)
        return found.status
    }

    // In either case of the first letters.
    private static let lengthNames = ["ontent-Length: ", "ontent-length: "].map { Array($0.utf8) }
    private static let endOfHead: [UInt8] = [13, 10, 13, 10]

    private static func end(of bytes: UnsafeRawBufferPointer) -> Int? {
        find(endOfHead, in: bytes).map { $0 + endOfHead.count }
    }

    private static func contentLength(_ head: UnsafeRawBufferPointer) -> Int {
        for name in lengthNames {
            guard let offset = find(name, in: head) else { continue }
            return head[(offset + name.count)...].prefix { (48...57).contains($0) }.reduce(0) { $0 * 10 + Int($1 & 15) }
        }
        return 0
    }

    private static func find(_ part: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
        var offset = 0
        while offset + part.count <= bytes.count {
            if bytes[offset] == part[0], bytes[offset..<offset + part.count].elementsEqual(part) { return offset }
            offset += 1
        }
        return nil
    }
}
