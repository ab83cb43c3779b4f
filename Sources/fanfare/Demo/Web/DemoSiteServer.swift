import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import WebServing

/// Serves the demo's site on a port of 127.0.0.1, over HTTP/1.1.
///
/// Browsers give `http://localhost` what they demand a certificate for elsewhere: service workers and pushes.
final class DemoSiteServer: Sendable {
    private let channel: any Channel
    private let contents: SiteContents

    private init(channel: any Channel, contents: SiteContents) {
        self.channel = channel
        self.contents = contents
    }

    /// Starts to listen on a free port; there are no pages before ``publish(_:)``.
    static func start() async throws -> DemoSiteServer {
        let contents = SiteContents()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(DemoSiteHandler(contents: contents))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return DemoSiteServer(channel: channel, contents: contents)
    }

    /// The site's origin (RFC 6454).
    var origin: String { "http://localhost:\(channel.localAddress?.port ?? 0)" }

    /// Serves a site from now on.
    func publish(_ site: DemoSite) { contents.site.withLock { $0 = site } }

    /// Stops to listen.
    func stop() async { try? await channel.close() }  // it may be closed already
}

/// The site that is served; may be used from any thread.
private final class SiteContents: Sendable {
    let site = Mutex<DemoSite?>(nil)
}

/// One connection to the site, confined to its loop.
private final class DemoSiteHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let contents: SiteContents
    private var head: HTTPRequestHead?

    init(contents: SiteContents) {
        self.contents = contents
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end: if let head { answer(head, context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let file = contents.site.withLock { $0?.file(at: request.uri) }
        let bytes = file?.bytes ?? Array("There is no such page.\n".utf8)
        var head = HTTPResponseHead(version: request.version, status: file == nil ? .notFound : .ok)
        head.headers.add(name: "content-type", value: file?.type ?? "text/plain; charset=utf-8")
        head.headers.add(name: "content-length", value: "\(bytes.count)")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
