import HummingbirdCore
import Logging
import NIOCore

/// Hummingbird's HTTP/1.1, over this house's TLS where there is a certificate, with a lane of their own for the edge's
/// requests, and HTTP/2 beside it on the edge's own address.
struct HouseHTTP1Channel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    /// Nil is HTTP in the clear.
    let certificate: ServerCertificate?
    /// Nil where no edge is served.
    let door: EdgeDoor?
    /// Only the edge's own address: a browser that shows the dashboard is to stay with HTTP/1.1.
    let speaksHTTP2: Bool

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        do {
            if let certificate {
                let context = certificate.current(speaksHTTP2: speaksHTTP2)
                try channel.pipeline.syncOperations.addHandler(TLSServerHandler(context))
            }
            if let door, speaksHTTP2 {
                try channel.pipeline.syncOperations.addHandler(EdgePreface { try Self.beginHTTP2(door, $0) })
            }
            let value = base.setup(channel: channel, logger: logger)
            if let door {
                // Behind what closes idle connections, which is to know of these requests too.
                let pipeline = channel.pipeline.syncOperations
                let state = try pipeline.handler(type: HTTPConnectionStateHandler.self)
                try pipeline.addHandler(EdgeLane(door, on: channel), position: .after(state))
            }
            return value
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    /// What waits for HTTP/1.1 gets nothing any more, and hears only of the connection's end.
    private static func beginHTTP2(_ door: EdgeDoor, _ preface: ChannelHandlerContext) throws {
        let pipeline = preface.pipeline.syncOperations
        // HTTP/1.1's clock would close a connection that says nothing in its language.
        let clock = try pipeline.context(handlerType: HTTPConnectionStateHandler.self)
        pipeline.removeHandler(context: clock, promise: nil)
        let streams = try EdgeStreams(door, on: preface.channel)
        try pipeline.addHandler(streams, position: .after(preface.handler))
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

extension HTTPServerBuilder {
    /// HTTP in the clear, or over TLS with a certificate.
    static func house(
        _ configuration: HTTP1Channel.Configuration,
        _ certificate: ServerCertificate?,
        _ door: EdgeDoor?,
        speaksHTTP2: Bool
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let base = HTTP1Channel(responder: responder, configuration: configuration)
            return HouseHTTP1Channel(base: base, certificate: certificate, door: door, speaksHTTP2: speaksHTTP2)
        }
    }
}
