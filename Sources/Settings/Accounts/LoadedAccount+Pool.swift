import Delivery
package import Logging
package import NIOCore
package import PushProviders
package import Transport

extension LoadedAccount {
    /// Returns the connections of one loop to one endpoint; `isApart`: a single connection; `answerBytesMax`: the most
    /// bytes kept of an answer, nil for as many as an answer to a push has.
    package func pool(
        endpoint: ProviderEndpoint,
        loop: any EventLoop,
        isApart: Bool = false,
        answerBytesMax: Int? = nil,
        logger: Logger,
        source: any RequestSource
    ) -> ProviderPool {
        var configuration = ProviderPoolConfiguration(seed: .random(in: 0 ... .max))
        configuration.connections.oneStreamUntilAuthenticated = token != nil
        if let answerBytesMax { configuration.answerBytesMax = answerBytesMax }
        if isApart { configuration.connections.connectionsMax = 1 }
        configuration.scope = account.reachesGlobalAddressesOnly ? .global : .any
        configuration.connections.streamDeadline = account.provider.limits.streamDeadline
        // A sender that leaves its connections waits for every answer that may still come.
        configuration.drainDeadline = configuration.connections.streamDeadline + .seconds(1)
        return endpoint.pool(configuration, tls: tls, loop: loop, source: source, logger: logger)
    }
}
