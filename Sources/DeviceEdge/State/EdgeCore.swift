import NIOPosix
import Settings
import Store
import WebServing

/// The state that the edge's routes share; may be used from any thread.
final class EdgeCore: Sendable {
    let server: ServerCore
    /// Finds devices by their secrets.
    let devices: DeviceLookup
    /// Forgets devices that deregister.
    let forgetting: DeviceForgetting
    /// Limits the requests of each device.
    let deviceLimiter: RateLimiter
    /// Limits the requests of each address that shows an app's integration key.
    let keyLimiter: RateLimiter
    /// Limits the requests of each address without a valid key or secret.
    let addressLimiter: RateLimiter
    let tracking: TrackingRelay
    let polls: PollForms
    let sessions: InAppSessions
    let contents: ContentCache

    init(_ server: ServerCore) {
        self.server = server
        let (ledger, loops) = (server.ledger, MultiThreadedEventLoopGroup.singleton)
        let settings = server.configuration.server
        devices = DeviceLookup(ledger, on: loops.next())
        forgetting = DeviceForgetting(ledger)
        deviceLimiter = RateLimiter(perSecond: settings.edgeRequestsPerSecond)
        keyLimiter = RateLimiter(perSecond: settings.edgeRegistrationsPerSecond)
        addressLimiter = RateLimiter(perSecond: settings.edgeRegistrationsPerSecond)
        tracking = TrackingRelay(server.configuration.amqp, on: loops.next())
        polls = PollForms(ledger)
        sessions = InAppSessions(ledger: ledger, logger: server.logger)
        contents = ContentCache(ledger, server.load)
    }

    var ledger: Ledger { server.ledger }
    /// The apps that have an edge, and their keys.
    var apps: KnownApps { server.apps }
}
