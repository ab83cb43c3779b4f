import Logging
import NIOCore
import PushProviders
import TLS
import Transport

extension ProviderEndpoint {
    /// Returns the connections of one loop to this endpoint.
    func pool(
        _ configuration: ProviderPoolConfiguration,
        tls: TLSClientContext,
        loop: any EventLoop,
        source: any RequestSource,
        logger: Logger
    ) -> ProviderPool {
        ProviderPool(
            loop: loop,
            endpoint: HTTP2Endpoint(host: host, port: Int(port)),
            tls: tls,
            configuration: configuration,
            source: source,
            logger: logger
        )
    }
}
