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

    /// The names of its queues.
    package static let queueNames = Set(builtIn.queues.map(\.name))
}

extension ManagementAPI {
    /// Creates the client for a configuration's broker: at `amqp.management_url`, or else at the hosts of `amqp.url`,
    /// port 15671 over HTTPS with `amqps` and port 15672 without.
    ///
    /// `timeout` bounds each answer.
    package init(_ configuration: Configuration, loop: any EventLoop, timeout: TimeAmount = .seconds(10)) {
        let address = configuration.management
        let isSecure = address == nil ? configuration.amqp.tls != nil : configuration.isManagementSecure
        self.init(
            hosts: address.map { [$0.host] } ?? configuration.amqp.hosts.map(\.name),
            port: address?.port ?? (isSecure ? Self.securePort : Self.defaultPort),
            isSecure: isSecure,
            endpoint: configuration.amqp,
            loop: loop,
            timeout: timeout
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
