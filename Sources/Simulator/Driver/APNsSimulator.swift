public import Logging
import NIOCore
import NIOPosix
import TLS

/// Apple's push service as a server of our own: as strict as the real one, with faults on demand, counting everything.
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
        /// Topics, certificates, limits and keys that exist besides the identity's own key.
        public var access = APNsAccess()
        /// Authority, certificates and signing key; nil makes new ones for `localhost` and `127.0.0.1`.
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
        let identity = try configuration.identity ?? Identity()
        configuration.identity = identity
        configuration.access.keys += identity.providerKeys
        let state = try SimulatorState(configuration: configuration)
        let context = try TLSServerContext(
            certificatePEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM,
            source: "the simulator's certificate",
            clientCertificates: .optional(authoritiesPEM: identity.authorityPEM)
        )
        let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.loops))
        let controlGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let loops = try await ServingLoops.make(on: group, state: state)
            let channel = try await listen(
                configuration,
                group: group,
                loops: loops,
                context: context,
                logger: logger
            )
            var control: (any Channel)?
            if let port = configuration.controlPort {
                control = try await ControlServer.listen(
                    port: port,
                    group: controlGroup,
                    state: state,
                    loops: loops
                )
            }
            let running = Running(
                identity: identity,
                state: state,
                loops: loops,
                channel: channel,
                control: control,
                groups: [group, controlGroup]
            )
            logger.debug(
                "The simulator plays APNs",
                metadata: [
                    "simulator.port": "\(running.port)", "simulator.control": "\(running.controlPort ?? 0)",
                ]
            )
            return running
        } catch {
            try await group.shutdownGracefully()
            try await controlGroup.shutdownGracefully()
            throw error
        }
    }

    private static func listen(
        _ configuration: Configuration,
        group: MultiThreadedEventLoopGroup,
        loops: ServingLoops,
        context: TLSServerContext,
        logger: Logger
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Full reads make full use of one wake-up (measured for the sender: 64 KB).
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let core = loops.core(of: channel.eventLoop)
                    let session = try TLSSession(server: context)
                    try channel.pipeline.syncOperations.addHandler(
                        APNsConnection(core: core, tls: session, logger: logger)
                    )
                }
            }
            .bind(host: configuration.host, port: configuration.port).get()
    }
}
