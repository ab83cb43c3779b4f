import Campaigns
import Delivery
import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix
package import Operations
import ServiceLifecycle
package import Settings
import Store
import Transport
import UnixSignals

/// The HTTP side of a fleet (`fanfare server`).
///
/// May be used from any task.
package final class APIServer: Sendable {
    /// The time that a stop allows for requests under way.
    private static let drain = Duration.seconds(20)
    /// The silence after which a connection is closed.
    private static let idleMax = TimeAmount.seconds(60)

    /// The decoder's bounds on a head, which it never exceeds; the edge refuses smaller heads, with an answer.
    private static let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: 2 * EdgeResponder.headerBytesMax,
        maxHeaderListSize: 4 * EdgeResponder.headerBytesMax,
        maxHeaderFieldCount: 256
    )

    let core: ServerCore
    let logger: Logger
    /// Nil for HTTP in the clear.
    let certificate: ServerCertificate?
    /// Is told when the server is ready, alive, rereading its files, and at its end.
    let manager: Supervisor?

    /// Opens the ledger and reads tokens and apps; blocks.
    ///
    /// Throws `LedgerError`, or `ConfigurationError` when a file cannot be used or the address is open to others
    /// without tokens. `version` is the program's; `manager` is told the server's state.
    package init(_ configuration: Configuration, version: String, logger: Logger, manager: Supervisor? = nil) throws {
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

    /// Reads the workers' apps file; without one the server runs, with fewer warnings for producers.
    private static func apps(_ configuration: Configuration, _ logger: Logger) -> [AppConfiguration] {
        do {
            return try AppsFile.read(path: configuration.appsFile, holdsKeys: configuration.server.roles.contains(.api))
        } catch {
            // Without apps the edge serves no device: an operator who configured its address has to see this.
            let level: Logger.Level = configuration.server.edgeListen == nil ? .info : .error
            logger.log(level: level, "no apps are known here", metadata: ["reason": "\(error)"])
            return []
        }
    }

    /// Answers until SIGTERM or SIGINT, then finishes the requests under way.
    ///
    /// `running` is called with the port once the server listens, `edgeRunning` with the edge's port when the edge has
    /// an address of its own. Throws when an address cannot be listened on.
    package func run(
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
        // The edge first: at the report that the server runs, both listen.
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
            await core.close()
            throw error
        }
        await core.close()
    }

    /// The service that answers on one address, with the edge's fast path where `edge` is set.
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
                // Fails only when the server has already stopped.
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

}

/// Makes readiness probes fail as soon as a stop begins, and ends the event streams, which would delay the stop.
private struct StopNotice: Service {
    let core: ServerCore
    let manager: Supervisor?

    func run() async throws {
        await withGracefulShutdownHandler {
            try? await gracefulShutdown()  // thrown only on cancellation, which is a stop too
            await core.feed.stop()
        } onGracefulShutdown: {
            core.readiness.stop()
            manager?.stopping()
        }
    }
}

/// Reports the server's state to the service manager.
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
