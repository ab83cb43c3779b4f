import Campaigns
import Delivery
public import Fleet
import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Store
import Transport
import UnixSignals

/// The HTTP side of a fleet (`fanfare server`).
///
/// May be used from any task.
public final class APIServer: Sendable {
    /// How long a stop waits for requests that are under way.
    private static let drain = Duration.seconds(20)
    /// A connection that says nothing for so long is closed.
    private static let idleMax = TimeAmount.seconds(60)

    /// Of a head more is never kept; the door refuses less, with a word.
    private static let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: 2 * EdgeResponder.headerBytesMax,
        maxHeaderListSize: 4 * EdgeResponder.headerBytesMax,
        maxHeaderFieldCount: 256
    )

    let core: ServerCore
    let logger: Logger
    /// Nil is HTTP in the clear.
    let certificate: ServerCertificate?
    /// Hears when the server is ready, lives, reads its files again and ends.
    let manager: Supervisor?

    /// Opens the ledger and reads tokens and apps; blocks.
    ///
    /// Throws `ConfigurationError` when the address is open to others and there are no tokens, or a file cannot be used;
    /// `LedgerError`. `version` is the program's; `manager` is told how the server is.
    public init(_ configuration: Configuration, version: String, logger: Logger, manager: Supervisor? = nil) throws {
        let listen = configuration.server.listen
        if configuration.server.tokensFile == nil, !Loopback.isLoopback(host: listen.host) {
            throw Self.openToAll(listen)
        }
        let tokens = try configuration.server.tokensFile.map { try TokensFile.read(path: $0) }
        if tokens == nil { logger.notice("no server.tokens_file: everybody on this host may do everything") }
        self.logger = logger
        self.manager = manager
        certificate = try ServerCertificate(configuration.server)
        core = ServerCore(
            configuration: configuration,
            version: version,
            ledger: try Ledger.open(configuration.store, create: true, logger: logger),
            broker: BrokerLink(configuration.amqp, on: MultiThreadedEventLoopGroup.singleton.next()),
            gate: Gate(tokens: tokens.map { TokenBook($0) }),
            apps: Self.apps(configuration, logger),
            logger: logger
        )
    }

    private static func openToAll(_ listen: Configuration.NetworkAddress) -> ConfigurationError {
        ConfigurationError([
            ConfigurationProblem(
                place: "",
                key: "server.tokens_file",
                code: "missing",
                detail: "\(listen) can be reached from other hosts, and there are no access tokens",
                fix: "make one with fanfare server token create, or listen on 127.0.0.1"
            )
        ])
    }

    /// The apps file is the workers'; the server does without it, with fewer warnings for producers.
    private static func apps(_ configuration: Configuration, _ logger: Logger) -> [AppConfiguration] {
        do {
            return try AppsFile.read(path: configuration.appsFile, holdsKeys: configuration.server.roles.contains(.api))
        } catch {
            // Without apps no device has a door: whoever gave it an address is to hear of it.
            let level: Logger.Level = configuration.server.edgeListen == nil ? .info : .error
            logger.log(level: level, "no apps are known here", metadata: ["reason": "\(error)"])
            return []
        }
    }

    /// Answers until SIGTERM or SIGINT, then ends what is under way.
    ///
    /// `running` is called with the port once it listens, `edgeRunning` with that of the edge when it has an address of
    /// its own. Throws when an address cannot be listened on.
    public func run(
        running: @escaping @Sendable (Int) -> Void = { _ in },
        edgeRunning: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws {
        let settings = core.configuration.server
        let edgeListen = settings.roles.contains(.edge) ? settings.edgeListen : nil
        let edge = edgeListen.map { listen in
            let responder = EdgeResponder(core: core)
            let front = EdgeFront(responder: responder)
            return application(front, core.edgeCensus, responder, true, "the device edge", listen, edgeRunning)
                as any Service
        }
        let listen = settings.listen
        let beside = core.servesEdgeBeside ? EdgeResponder(core: core) : nil
        let api = application(Front(core: core), core.apiCensus, beside, false, "listening", listen) { [core] port in
            core.readiness.listens()
            running(port)
        }
        // The edge first: who is told that the server runs finds both.
        var configuration = ServiceGroupConfiguration(
            services: [edge, api, StopNotice(core: core, manager: manager), appsWatch, tokensWatch].compactMap(\.self)
                + supervision,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = Self.drain
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch {
            await close()
            throw error
        }
        await close()
    }

    /// What answers on one address, with a lane for the edge where there is a door.
    private func application(
        _ responder: some HTTPResponder<FrontContext> & Sendable,
        _ census: ConnectionCensus,
        _ edge: EdgeResponder?,
        _ speaksHTTP2: Bool,
        _ what: String,
        _ listen: Configuration.NetworkAddress,
        _ running: @escaping @Sendable (Int) -> Void
    ) -> some Service {
        let scheme = certificate == nil ? "http" : "https"
        return Application(
            responder: responder,
            server: .house(
                HTTP1Channel.Configuration(idleTimeout: Self.idleMax, httpDecoderConfiguration: Self.decoder),
                core,
                census,
                certificate,
                edge,
                speaksHTTP2: speaksHTTP2
            ),
            configuration: ApplicationConfiguration(
                address: .hostname(listen.host, port: listen.port),
                availableConnectionsDelegate: ConnectionCensus.Delegate(census: census)
            ),
            onServerRunning: { [logger, load = core.load] channel in
                // Fails only when the server is stopped already.
                try? await AcceptPause.add(to: channel) { _ in load.refused(.descriptors) }
                let port = channel.localAddress?.port ?? listen.port
                logger.info("\(what)", metadata: ["address": "\(scheme)://\(listen.host):\(port)"])
                running(port)
            },
            logger: logger
        )
    }

    private var supervision: [any Service] {
        manager.map { [Supervision(manager: $0, readiness: core.readiness)] } ?? []
    }

    private func close() async {
        await core.tracking.close()
        await core.broker.close()
        await core.ledger.close()
    }
}

/// Tells the probe that the server stops, as soon as it does, and ends the streams, which would keep it from stopping.
private struct StopNotice: Service {
    let core: ServerCore
    let manager: Supervisor?

    func run() async throws {
        await withGracefulShutdownHandler {
            try? await gracefulShutdown()  // thrown only when the task is cancelled, which is a stop too
            await core.feed.stop()
        } onGracefulShutdown: {
            core.readiness.stop()
            manager?.stopping()
        }
    }
}

/// Tells the service manager how the server is.
private struct Supervision: Service {
    let manager: Supervisor
    let readiness: Readiness

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await manager.run {
                ServiceLook(isAlive: true, unreadiness: await readiness.reasons(), doing: "serving")
            }
        }
    }
}
