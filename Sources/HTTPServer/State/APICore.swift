import NIOPosix
import Operations
import Settings
import Store
import WebServing

/// The state that the API's routes share; may be used from any task.
final class APICore: Sendable {
    let server: ServerCore
    let broker: BrokerLink
    let gate: Gate
    let feed: LiveFeed
    let fleet: FleetPoll
    let limiter: RateLimiter
    let longReads = LongReads()

    init(_ server: ServerCore, gate: Gate) {
        self.server = server
        self.gate = gate
        let configuration = server.configuration
        let broker = BrokerLink(configuration.amqp, on: MultiThreadedEventLoopGroup.singleton.next())
        self.broker = broker
        server.readiness.check { await broker.obstacle() }
        feed = LiveFeed(server.ledger, logger: server.logger)
        let probe = FleetProbe(configuration, ledger: server.ledger)
        fleet = FleetPoll { await probe.take() }
        limiter = RateLimiter(perSecond: configuration.server.requestsPerSecond)
    }

    var ledger: Ledger { server.ledger }
}
