public import Logging
import NIOCore
import NIOPosix
import TLS

/// The push services as servers of our own: as strict as the real ones, with faults on demand, counting everything.
///
/// APNs is always played; FCM and Web Push when the configuration has an `fcm` or `webPush`, each on a port of its own
/// and with the same certificate.
///
/// ```swift
/// let simulator = try await APNsSimulator.start()
/// // connect to 127.0.0.1:simulator.port, trust simulator.identity.authorityPEM,
/// // sign with simulator.identity.credentials
/// try await simulator.changeFaults { faults throws(FaultsError) in try faults.set("dead", to: "0.02") }
/// let statistics = simulator.statistics
/// try await simulator.stop()
/// ```
public enum APNsSimulator {
    /// How a simulator is to be started.
    public struct Configuration: Sendable {
        /// The address to listen on; loopback unless said otherwise.
        public var host = "127.0.0.1"
        /// The port for APNs; 0 takes a free one.
        public var port = 0
        /// The port of the control address, always on 127.0.0.1; 0 takes a free one, nil leaves it out.
        public var controlPort: Int? = 0
        /// How many event loops (threads) serve, at least 1.
        public var loops = 1
        /// What makes a run repeatable: which tokens are dead, which requests are refused.
        public var seed: UInt64 = 1
        /// What goes wrong.
        public var faults = Faults()
        /// FCM's project, accounts and limits; nil plays no FCM.
        public var fcm: FCMAccess?
        /// The port for FCM and its token endpoint; 0 takes a free one.
        public var fcmPort = 0
        /// Web Push's keys; nil plays no Web Push.
        public var webPush: WebPushAccess?
        /// The port for Web Push; 0 takes a free one.
        public var webPushPort = 0
        /// Topics, certificates, limits and keys that exist besides the identity's own key.
        public var access = APNsAccess()
        /// Authority, certificates and signing keys; nil makes new ones for `localhost` and `127.0.0.1`.
        ///
        /// A simulator that is to come back as the same server is started with the identity of its former life.
        public var identity: Identity?
        /// How many of the last requests are kept with their payloads, at least 1.
        public var requestsKept = 16
        /// One stream only until a request with a good provider token has come, as Apple does it.
        public var startsWithOneStream = true

        /// Apple's behaviour, no faults, free ports on loopback.
        public init() {}
    }

    /// Starts a simulator; returns when it accepts connections.
    ///
    /// Throws `TLSError` for certificates and keys that cannot be used, the system's error for a port that is taken.
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
                    "The simulator plays a provider",
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

    /// Every provider that is to be played, with its port.
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
