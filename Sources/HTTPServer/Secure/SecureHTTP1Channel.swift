import HummingbirdCore
import Logging
import NIOCore
import TLS

/// Hummingbird's HTTP/1.1 over this house's TLS.
struct SecureHTTP1Channel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    let context: TLSServerContext

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        do {
            try channel.pipeline.syncOperations.addHandler(TLSServerHandler(context))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return base.setup(channel: channel, logger: logger)
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

extension HTTPServerBuilder {
    /// HTTP/1.1 in the clear, or over TLS with a certificate.
    static func house(_ configuration: HTTP1Channel.Configuration, _ tls: TLSServerContext?) -> HTTPServerBuilder {
        guard let tls else { return .http1(configuration: configuration) }
        return HTTPServerBuilder { responder in
            SecureHTTP1Channel(base: HTTP1Channel(responder: responder, configuration: configuration), context: tls)
        }
    }
}
