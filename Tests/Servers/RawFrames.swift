import NIOCore
import NIOPosix

/// HTTP/2 frames made and read by hand (RFC 9113, section 4.1), for clients that behave badly.
public enum RawFrames {
    /// The client's connection preface (RFC 9113, section 3.4).
    public static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// A frame.
    public struct Frame: Sendable, Equatable {
        /// The type, such as ``RawFrames/headers``.
        public var type: UInt8
        /// The flags, such as END_STREAM.
        public var flags: UInt8
        /// The stream's id, 0 for the connection.
        public var stream: UInt32
        /// The bytes after the nine-byte header.
        public var payload: [UInt8]

        /// Creates a frame.
        public init(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
            (self.type, self.flags, self.stream, self.payload) = (type, flags, stream, payload)
        }

        /// The number at the payload's end: the code of RST_STREAM and, without debug data, of GOAWAY.
        public var code: UInt32 { payload.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// The type of HEADERS.
    public static let headers: UInt8 = 1
    /// The type of RST_STREAM.
    public static let reset: UInt8 = 3
    /// The type of SETTINGS.
    public static let settings: UInt8 = 4
    /// The type of GOAWAY.
    public static let goAway: UInt8 = 7

    /// Returns the frame's bytes.
    public static func bytes(_ frame: Frame) -> [UInt8] {
        let count = UInt32(frame.payload.count)
        let head = [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), frame.type, frame.flags]
        return head + withUnsafeBytes(of: frame.stream.bigEndian, Array.init) + frame.payload
    }

    /// Returns SETTINGS with an identifier and its value.
    public static func setting(_ id: UInt16, _ value: UInt32) -> Frame {
        let payload = withUnsafeBytes(of: id.bigEndian, Array.init) + withUnsafeBytes(of: value.bigEndian, Array.init)
        return Frame(type: settings, payload: payload)
    }

    /// Returns a whole request without a body; each field is a literal without indexing (RFC 7541, section 6.2.2).
    public static func request(_ stream: UInt32, _ fields: [(String, String)]) -> Frame {
        var block: [UInt8] = []
        for (name, value) in fields {
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8)
            block += [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        return Frame(type: headers, flags: 0x05, stream: stream, payload: block)
    }

    /// Removes the first whole frame from the bytes and returns it.
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

/// A connection that sends arbitrary bytes and parses the received frames.
public struct RawConnection {
    /// The received frames, until the connection ends.
    public let frames: AsyncStream<RawFrames.Frame>
    private let channel: any Channel

    /// Connects to a port; the stream of frames ends with the connection.
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

    /// Sends bytes unchanged.
    public func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Closes the connection without GOAWAY.
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
