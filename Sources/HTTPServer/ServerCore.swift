import Delivery
import Fleet
import Logging
import NIOPosix
import Operations
import Settings
import Store
import Synchronization
import Transport

/// The state that all routes share; may be used from any task.
final class ServerCore: Sendable {
    let configuration: Configuration
    let version: String
    let ledger: Ledger
    let broker: BrokerLink
    let readiness: Readiness
    let gate: Gate
    let feed: LiveFeed
    let fleet: FleetPoll
    let limiter: RateLimiter
    let edge: EdgeCore
    let tracking: TrackingRelay
    let intakes = TrackingIntakes()
    let polls: PollForms
    let sessions: InAppSessions
    let counters = RequestCounters()
    let load: EdgeLoad
    let contents: ContentShelf
    let peers: PeerBook
    /// The connections of the API's address.
    let apiCensus: ConnectionCensus
    /// The connections of the edge's own address.
    let edgeCensus: ConnectionCensus
    let logger: Logger
    private let knownApps: Mutex<[AppConfiguration]>

    init(
        configuration: Configuration,
        version: String,
        ledger: Ledger,
        broker: BrokerLink,
        gate: Gate,
        apps: [AppConfiguration],
        logger: Logger
    ) {
        self.configuration = configuration
        self.version = version
        self.ledger = ledger
        self.broker = broker
        self.gate = gate
        self.logger = logger
        feed = LiveFeed(ledger, logger: logger)
        fleet = FleetPoll(FleetProbe(configuration, ledger: ledger))
        readiness = Readiness(ledger: ledger, broker: broker)
        let settings = configuration.server
        load = EdgeLoad(memory: settings.memory ?? MemoryLimit.read())
        contents = ContentShelf(ledger, load)
        peers = PeerBook(settings.trustedProxies)
        let caps = ConnectionCaps(
            descriptors: DescriptorLimit.raise(),
            listeners: 2,
            total: settings.connections ?? 0,
            ofAddress: settings.addressConnections ?? 0
        )
        apiCensus = ConnectionCensus(caps, load)
        edgeCensus = ConnectionCensus(caps, load)
        let loops = MultiThreadedEventLoopGroup.singleton
        tracking = TrackingRelay(configuration.amqp, on: loops.next())
        polls = PollForms(ledger)
        edge = EdgeCore(configuration.server, ledger: ledger, apps: apps, on: loops.next())
        sessions = InAppSessions(ledger: ledger, logger: logger)
        limiter = RateLimiter(perSecond: configuration.server.requestsPerSecond)
        knownApps = Mutex(apps)
    }

    /// The apps that this host knows; the server needs neither the apps nor their keys.
    var apps: [AppConfiguration] {
        get { knownApps.withLock { $0 } }
        set {
            knownApps.withLock { $0 = newValue }
            edge.take(newValue)
        }
    }

    /// Closes the connections to broker and ledger; reports that were taken are confirmed first.
    func close() async {
        await tracking.close()
        await broker.close()
        await ledger.close()
    }

    /// True if the edge has no address of its own and is served at the API's.
    var servesEdgeBeside: Bool { configuration.server.edgeListen == nil && configuration.server.roles.contains(.edge) }
}
