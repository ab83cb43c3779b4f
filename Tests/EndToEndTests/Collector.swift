import Campaigns
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An OpenTelemetry collector that keeps the received spans (OTLP over HTTP with JSON).
final class Collector: Sendable {
    private final class Kept: Sendable {
        let spans = Mutex<[JSONValue]>([])
    }

    private let kept: Kept
    private let channel: any Channel
    /// The port that it listens on, on loopback.
    let port: Int

    init() throws {
        let kept = Kept()
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(kept))
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        port = channel.localAddress?.port ?? 0
        self.kept = kept
    }

    /// The spans received so far.
    var spans: [JSONValue] { kept.spans.withLock { $0 } }

    func stop() { channel.close(promise: nil) }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let kept: Kept
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ kept: Kept) {
            self.kept = kept
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): self.head = head
            case .body(let piece): body += piece.readableBytesView
            case .end:
                let isOurs = head?.method == .POST && head?.uri == "/v1/traces"
                let document = JSONReader.read(body, limits: .init(bytesMax: body.count + 1, depthMax: 16)).value
                let spans = (document?["resourceSpans"]?.array ?? []).flatMap { $0["scopeSpans"]?.array ?? [] }
                    .flatMap { $0["spans"]?.array ?? [] }
                kept.spans.withLock { $0 += isOurs ? spans : [] }
                body = []
                let answer = HTTPResponseHead(
                    version: .http1_1,
                    status: isOurs ? .ok : .notFound,
                    headers: ["content-length": "2", "connection": "close"]
                )
                context.write(wrapOutboundOut(.head(answer)), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "{}")))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}
