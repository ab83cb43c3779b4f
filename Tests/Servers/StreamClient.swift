import HTTP2
import NIOCore
import NIOPosix

/// A cleartext HTTP/2 client that sends given requests, whole or in pieces, and records how their streams end.
public enum StreamClient {
    /// A request.
    public struct Asked: Sendable {
        let (method, path, secret, id, body): (String, String, String, String, String)

        /// Creates a request with a device's secret and an id.
        public init(_ method: String = "POST", _ path: String, secret: String, id: String, body: String = "") {
            (self.method, self.path, self.secret, self.id, self.body) = (method, path, secret, id, body)
        }
    }

    /// The answer to a request.
    public struct Answer: Sendable, Equatable {
        /// The status; 0 when the stream ended without one.
        public let status: Int
        /// The body as text.
        public let body: String
    }

    /// Sends requests on one connection, `pieces` bytes at a time, and returns the answers in the order of the
    /// requests.
    public static func run(_ asked: [Asked], to port: Int, pieces: Int = .max) async throws -> [Answer] {
        let (stream, continuation) = AsyncStream.makeStream(of: (index: Int, answer: Answer).self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let session = try HTTP2ClientSession()
                    try channel.pipeline.syncOperations.addHandler(
                        Speaker(session, asked, pieces: pieces, continuation)
                    )
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        var answers = [Answer?](repeating: nil, count: asked.count)
        for await (index, answer) in stream {
            answers[index] = answer
            if answers.allSatisfy({ $0 != nil }) { break }
        }
        try? await channel.close()
        return answers.compactMap(\.self)
    }

    private final class Speaker: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let session: HTTP2ClientSession
        private let asked: [Asked]
        private let pieces: Int
        private let heard: AsyncStream<(index: Int, answer: Answer)>.Continuation
        private var next = 0

        init(
            _ session: HTTP2ClientSession,
            _ asked: [Asked],
            pieces: Int,
            _ heard: AsyncStream<(index: Int, answer: Answer)>.Continuation
        ) {
            (self.session, self.asked, self.pieces, self.heard) = (session, asked, pieces, heard)
        }

        func channelActive(context: ChannelHandlerContext) { speak(context) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            do {
                try unwrapInboundIn(data).withUnsafeReadableBytes { try session.receive($0) }
            } catch {
                context.close(promise: nil)
            }
            session.takeEnded { end in
                let body = String(decoding: end.body, as: UTF8.self)
                heard.yield((Int(end.tag), Answer(status: Int(end.status), body: body)))
            }
            speak(context)
        }

        func channelInactive(context: ChannelHandlerContext) { heard.finish() }

        private func speak(_ context: ChannelHandlerContext) {
            let most = session.maxConcurrentStreams ?? 0
            while next < asked.count, session.inFlight < most {
                let request = asked[next]
                let headers = PreparedHeaders(
                    method: request.method,
                    scheme: "http",
                    authority: "127.0.0.1",
                    fields: [
                        HeaderField("content-type", "application/json"),
                        HeaderField("authorization", "Bearer " + request.secret, indexing: .never),
                    ],
                    perRequestName: "x-request-id"
                )
                _ = try? session.submit(now: 0) { writer in
                    writer.tag = UInt64(next)
                    writer.setHeaders(headers)
                    Array(request.path.utf8).withUnsafeBytes { writer.setPath($0) }
                    Array(request.id.utf8).withUnsafeBytes { writer.setPerRequestValue($0) }
                    Array(request.body.utf8).withUnsafeBytes { writer.setBody($0) }
                    return true
                }
                next += 1
            }
            let room = 15_000 + HTTP2ClientSession.frameBytesMax
            var frames = ByteBuffer()
            while session.hasPendingBytes {
                let count = frames.writeWithUnsafeMutableBytes(minimumWritableBytes: room) {
                    session.drain(into: $0, threshold: 15_000)
                }
                if count == 0 { break }
            }
            while let piece = frames.readSlice(length: min(pieces, frames.readableBytes)), piece.readableBytes > 0 {
                context.writeAndFlush(wrapOutboundOut(piece), promise: nil)
            }
        }
    }
}
