import Campaigns
import Delivery
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import Settings
import Store
import Synchronization
import Transport

/// The service that answers on one address.
struct Listener: Sendable {
    /// The silence after which a connection is closed.
    private static let idleMax = TimeAmount.seconds(60)
    /// The most bytes of a request's head, which a responder's own limit does not exceed.
    private static let headBytesMax = 65_536

    /// The decoder's bounds on a head, which it never exceeds; a responder refuses smaller heads, with an answer.
    private static let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: headBytesMax / 2,
        maxHeaderListSize: headBytesMax,
        maxHeaderFieldCount: 256
    )

    let server: ServerCore
    let address: Configuration.NetworkAddress
    let limiter: ConnectionLimiter
    /// Nil for HTTP in the clear.
    let certificate: ServerCertificate?
    /// The responders in the order in which they are asked; the last answers every request.
    let roles: [any ServedRole]
    /// The only paths that are answered; nil: all.
    var paths: Set<Substring>?
    /// True for an address that speaks HTTP/2 too.
    let speaksHTTP2: Bool
    /// The log's words for the beginning.
    let title: Logger.Message
    /// Is called with the port once the server listens.
    let running: @Sendable (Int) -> Void

    /// Returns the service of Hummingbird's server.
    func service(_ logger: Logger) -> any Service {
        let dates = Mutex(DateField())
        let http1 = HTTP1Channel(
            responder: { request, writer, channel in
                var response = await respond(to: request, from: server.peers.peer(channel))
                response.headers[.date] = dates.withLock { $0.text(at: WallClock.now().asRead) }
                do {
                    try await writer.write(response: response.head, body: response.body)
                } catch is HTTPParserError {
                    // As it is, the error would be answered with a second response.
                    throw ChannelError.inputClosed
                }
            },
            configuration: HTTP1Channel.Configuration(
                idleTimeout: Self.idleMax,
                httpDecoderConfiguration: Self.decoder
            )
        )
        let channel = HouseHTTP1Channel(
            base: http1,
            server: server,
            limiter: limiter,
            certificate: certificate,
            fastPath: roles.lazy.compactMap(\.fastPath).first,
            speaksHTTP2: speaksHTTP2
        )
        let scheme = certificate == nil ? "http" : "https"
        return channel.server(
            configuration: ServerConfiguration(
                address: .hostname(address.host, port: address.port),
                availableConnectionsDelegate: ConnectionLimiter.Delegate(limiter: limiter)
            ),
            onServerRunning: { [load = server.load] channel in
                // Fails only when the server has already stopped.
                try? await AcceptPause.add(to: channel) { _ in load.refused(.descriptors) }
                let port = channel.localAddress?.port ?? address.port
                logger.info(title, metadata: ["address": "\(scheme)://\(address.host):\(port)"])
                running(port)
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
    }

    private func respond(to request: Request, from connection: Peer) async -> Response {
        if let paths, let path = request.head.path?.prefix(while: { $0 != "?" }), !paths.contains(path) {
            return Response(status: .notFound)
        }
        for role in roles {
            if let response = await role.respond(to: request, from: connection) { return response }
        }
        return Response(status: .notFound)
    }
}
