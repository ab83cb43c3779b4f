import HummingbirdCore
import Logging
import NIOCore

/// Hummingbird's HTTP/1.1, over this house's TLS where there is a certificate, with a lane of their own for the edge's
/// requests.
struct HouseHTTP1Channel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    /// Nil is HTTP in the clear.
    let certificate: ServerCertificate?
    /// Nil where no edge is served.
    let door: EdgeDoor?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        do {
            if let certificate {
                try channel.pipeline.syncOperations.addHandler(TLSServerHandler(certificate.current))
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

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

extension HTTPServerBuilder {
    /// HTTP/1.1 in the clear, or over TLS with a certificate.
    static func house(
        _ configuration: HTTP1Channel.Configuration,
        _ certificate: ServerCertificate?,
        _ door: EdgeDoor?
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let base = HTTP1Channel(responder: responder, configuration: configuration)
            return HouseHTTP1Channel(base: base, certificate: certificate, door: door)
        }
    }
}
