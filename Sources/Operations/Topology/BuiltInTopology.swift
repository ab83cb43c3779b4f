package import Campaigns
package import Delivery
package import NIOCore
import PushProviders
package import Settings
import Transport

extension Lane {
    /// The lanes of the built-in providers.
    package static var builtIn: [Lane] {
        ProviderRegistry.providers.flatMap { provider in
            Urgency.allCases.map { Lane(provider: provider.name, urgency: $0) }
        }
    }
}

extension TopologyManifest {
    /// The topology for the built-in providers.
    package static var builtIn: TopologyManifest { .fanfare(lanes: Lane.builtIn) }
}

extension ManagementAPI {
    /// Creates the client for a configuration's broker: at `amqp.management_url`, or else at the first host, port
    /// 15671 over HTTPS with `amqps` and port 15672 without.
    package init(_ configuration: Configuration, loop: any EventLoop) {
        let address = configuration.management
        let isSecure = address == nil ? configuration.amqp.tls != nil : configuration.isManagementSecure
        self.init(
            host: address?.host ?? configuration.amqp.hosts[0].name,
            port: address?.port ?? (isSecure ? Self.securePort : Self.defaultPort),
            isSecure: isSecure,
            endpoint: configuration.amqp,
            loop: loop
        )
    }
}

extension TopologyTool {
    /// Creates a tool for a configuration's broker and the built-in providers.
    package init(_ configuration: Configuration, loop: any EventLoop) {
        self.init(
            endpoint: configuration.amqp,
            manifest: .builtIn,
            management: ManagementAPI(configuration, loop: loop),
            loop: loop
        )
    }
}
