public import Campaigns
public import Delivery
public import NIOCore
import PushProviders
import Transport

extension Lane {
    /// The lanes of the providers that are built in.
    public static var builtIn: [Lane] {
        ProviderRegistry.providers.flatMap { provider in
            Urgency.allCases.map { Lane(provider: provider.name, urgency: $0) }
        }
    }
}

extension TopologyManifest {
    /// What a broker needs for the providers that are built in.
    public static var builtIn: TopologyManifest { .fanfare(lanes: Lane.builtIn) }
}

extension ManagementAPI {
    /// The management API of a configuration's broker: at `amqp.management_url`, else at the first host, with `amqps` at
    /// port 15671 over HTTPS and otherwise at 15672.
    public init(_ configuration: Configuration, loop: any EventLoop) {
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
    /// A tool for a configuration's broker and the providers that are built in.
    public init(_ configuration: Configuration, loop: any EventLoop) {
        self.init(
            endpoint: configuration.amqp,
            manifest: .builtIn,
            management: ManagementAPI(configuration, loop: loop),
            loop: loop
        )
    }
}
