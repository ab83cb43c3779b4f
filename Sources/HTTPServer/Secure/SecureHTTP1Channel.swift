import HummingbirdCore
import Logging
import NIOCore

/// Hummingbird's HTTP/1.1 over this house's TLS.
struct SecureHTTP1Channel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    let certificate: ServerCertificate

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        do {
            try channel.pipeline.syncOperations.addHandler(TLSServerHandler(certificate.current))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return base.setup(channel: channel, logger: logger)
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

extension HTTPServerBuilder {
    /// HTTP/1.1 in the clear, or over TLS with a certificate.
    static func house(
        _ configuration: HTTP1Channel.Configuration,
        _ certificate: ServerCertificate?
    ) -> HTTPServerBuilder {
        guard let certificate else { return .http1(configuration: configuration) }
        return HTTPServerBuilder { responder in
            let base = HTTP1Channel(responder: responder, configuration: configuration)
            return SecureHTTP1Channel(base: base, certificate: certificate)
        }
    }
}
