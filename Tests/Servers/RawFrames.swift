import NIOCore
import NIOPosix

/// Frames of HTTP/2 made and read by hand (RFC 9113, section 4.1), for clients that behave badly.
public enum RawFrames {
    /// What a client begins with (RFC 9113, section 3.4).
    public static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// A frame.
    public struct Frame: Sendable, Equatable {
        /// See ``RawFrames/headers`` and its like.
        public var type: UInt8
        /// Such as END_STREAM.
        public var flags: UInt8
        /// 0 for the connection.
        public var stream: UInt32
        /// What stands behind the nine bytes.
        public var payload: [UInt8]

        /// A frame.
        public init(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
            (self.type, self.flags, self.stream, self.payload) = (type, flags, stream, payload)
        }

        /// The number at the payload's end: the code of RST_STREAM and, without debug data, of GOAWAY.
        public var code: UInt32 { payload.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// HEADERS.
    public static let headers: UInt8 = 1
    /// RST_STREAM.
    public static let reset: UInt8 = 3
    /// SETTINGS.
    public static let settings: UInt8 = 4
    /// GOAWAY.
    public static let goAway: UInt8 = 7

    /// What goes over the wire.
    public static func bytes(_ frame: Frame) -> [UInt8] {
        let count = UInt32(frame.payload.count)
        let head = [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), frame.type, frame.flags]
        return head + withUnsafeBytes(of: frame.stream.bigEndian, Array.init) + frame.payload
    }

    /// A setting's identifier and value.
    public static func setting(_ id: UInt16, _ value: UInt32) -> Frame {
        let payload = withUnsafeBytes(of: id.bigEndian, Array.init) + withUnsafeBytes(of: value.bigEndian, Array.init)
        return Frame(type: settings, payload: payload)
    }

    /// A whole request without a body; each field a literal that is not indexed (RFC 7541, section 6.2.2).
    public static func request(_ stream: UInt32, _ fields: [(String, String)]) -> Frame {
        var block: [UInt8] = []
        for (name, value) in fields {
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8)
            block += [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        return Frame(type: headers, flags: 0x05, stream: stream, payload: block)
    }

    /// The first whole frame, taken out of the bytes.
    static func next(_ bytes: inout [UInt8]) -> Frame? {
        guard bytes.count >= 9 else { return nil }
        let count = bytes[0..<3].reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= 9 + count else { return nil }
        let stream = bytes[5..<9].reduce(0) { $0 << 8 | UInt32($1) }
        let frame = Frame(type: bytes[3], flags: bytes[4], stream: stream, payload: Array(bytes[9..<9 + count]))
        bytes.removeFirst(9 + count)
        return frame
    }
}

/// A connection with bytes of the test's choice, and the frames that come back.
public struct RawConnection {
    /// What comes, until the connection ends.
    public let frames: AsyncStream<RawFrames.Frame>
    private let channel: any Channel

    /// Connects; the stream of frames ends with the connection.
    public init(to port: Int) async throws {
        let (frames, continuation) = AsyncStream.makeStream(of: RawFrames.Frame.self)
        self.frames = frames
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Reader(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
    }

    /// Sends bytes as they are.
    public func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Closes without a word.
    public func close() async { try? await channel.close() }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<RawFrames.Frame>.Continuation
        private var unread: [UInt8] = []

        init(_ continuation: AsyncStream<RawFrames.Frame>.Continuation) {
            self.continuation = continuation
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            unread += Array(unwrapInboundIn(data).readableBytesView)
            while let frame = RawFrames.next(&unread) { continuation.yield(frame) }
        }

        func channelInactive(context: ChannelHandlerContext) { continuation.finish() }
    }
}
