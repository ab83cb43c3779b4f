public import Logging
import NIOCore
import NIOPosix
import TLS

/// The push services as local servers: as strict as the real ones, with faults on demand, counting everything.
///
/// APNs is always simulated; FCM and Web Push are if the configuration has an `fcm` or `webPush`. Each has its own port
/// and the same certificate.
///
/// ```swift
/// let simulator = try await PushSimulator.start()
/// // connect to 127.0.0.1:simulator.port, trust simulator.identity.authorityPEM,
/// // sign with simulator.identity.credentials
/// try await simulator.changeFaults { faults throws(FaultsError) in try faults.set("dead", to: "0.02") }
/// let statistics = simulator.statistics
/// try await simulator.stop()
/// ```
public enum PushSimulator {
    /// The configuration of a simulator.
    public struct Configuration: Sendable {
        /// The address to listen on; loopback by default.
        public var host = "127.0.0.1"
        /// The port for APNs; 0 takes a free port.
        public var port = 0
        /// The port of the control address, always on 127.0.0.1; 0 takes a free port, nil disables it.
        public var controlPort: Int? = 0
        /// The number of event loops (threads), at least 1.
        public var loops = 1
        /// The seed that makes a run repeatable: it decides which tokens are dead and which requests are refused.
        public var seed: UInt64 = 1
        /// The initial faults.
        public var faults = Faults()
        /// FCM's project, accounts and limits; nil disables FCM.
        public var fcm: FCMAccess?
        /// The port for FCM and its token endpoint; 0 takes a free port.
        public var fcmPort = 0
        /// Web Push's keys; nil disables Web Push.
        public var webPush: WebPushAccess?
        /// The port for Web Push; 0 takes a free port.
        public var webPushPort = 0
        /// The topics, certificates, limits and keys that exist besides the identity's own key.
        public var access = APNsAccess()
        /// The authority, certificates and signing keys; nil makes new ones for `localhost` and `127.0.0.1`.
        ///
        /// A simulator that restarts as the same server gets the identity of its previous run.
        public var identity: Identity?
        /// The number of last requests that are kept with their payloads, at least 1.
        public var requestsKept = 16
        /// True if a connection has one stream until a request with a valid provider token came, as at Apple.
        public var startsWithOneStream = true

        /// Creates a configuration with Apple's behavior, no faults, and free ports on loopback.
        public init() {}
    }

    /// Starts a simulator; returns when it accepts connections.
    ///
    /// Throws `TLSError` for unusable certificates and keys, and the system's error for a port in use.
    public static func start(
        _ configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "fanfare.simulator")
    ) async throws -> Running {
        var configuration = configuration
        var identity = try configuration.identity ?? Identity()
        if let fcm = configuration.fcm, identity.serviceAccount == nil {
            identity.serviceAccount = try ServiceAccount(projectID: fcm.project)
        }
        configuration.access.keys += identity.providerKeys
        let context = try TLSServerContext(
            certificatePEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM,
            source: "the simulator's certificate",
            clientCertificates: .optional(authoritiesPEM: identity.authorityPEM)
        )
        let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.loops))
        let controlGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            var started: [ProviderListener] = []
            for (side, port) in try sides(configuration, identity) {
                let state = ProviderState(
                    side: side,
                    faults: configuration.faults,
                    seed: configuration.seed,
                    requestsKept: configuration.requestsKept
                )
                started.append(
                    try await ProviderListener.start(
                        state,
                        host: configuration.host,
                        port: port,
                        group: group,
                        context: context,
                        logger: logger
                    )
                )
            }
            let listeners = ProviderListeners(all: started)
            var control: (any Channel)?
            if let port = configuration.controlPort {
                control = try await ControlServer.listen(port: port, group: controlGroup, listeners: listeners)
            }
            let running = Running(
                identity: identity,
                listeners: listeners,
                control: control,
                groups: [group, controlGroup]
            )
            for listener in started {
                logger.debug(
                    "The simulator serves a provider",
                    metadata: [
                        "provider.name": "\(listener.provider.rawValue)", "simulator.port": "\(listener.port)",
                        "simulator.control": "\(running.controlPort ?? 0)",
                    ]
                )
            }
            return running
        } catch {
            try await group.shutdownGracefully()
            try await controlGroup.shutdownGracefully()
            throw error
        }
    }

    /// Returns every provider to simulate, with its port.
    private static func sides(
        _ configuration: Configuration,
        _ identity: Identity
    ) throws -> [(side: any Peer, port: Int)] {
        let apns = APNsSide(
            rules: APNsRules(tokens: try ProviderTokens(access: configuration.access)),
            startsWithOneStream: configuration.startsWithOneStream,
            seed: configuration.seed
        )
        var sides: [(side: any Peer, port: Int)] = [(apns, configuration.port)]
        if var fcm = configuration.fcm {
            if let account = identity.serviceAccount { fcm.accounts.append(account.account) }
            sides.append((try FCMSide(access: fcm, seed: configuration.seed), configuration.fcmPort))
        }
        if let webPush = configuration.webPush {
            sides.append((WebPushSide(access: webPush, seed: configuration.seed), configuration.webPushPort))
        }
        return sides
    }
}
