package import Logging
package import Operations
import ServiceLifecycle
package import Settings
import Store
import UnixSignals

/// The HTTP side of a fleet (`fanfare server`).
///
/// May be used from any task.
package final class WebServer: Sendable {
    /// The time that a stop allows for requests under way.
    private static let drain = Duration.seconds(20)

    package let core: ServerCore
    /// The last is asked first; the first answers every request.
    let roles: [any ServedRole]
    let logger: Logger
    /// Is told when the server is ready, alive, rereading its files, and at its end.
    let manager: Supervisor?

    /// Opens the ledger and reads the files; blocks.
    ///
    /// Throws `LedgerError`, or `ConfigurationError` when a file or a setting cannot be used. `version` is the
    /// program's; `manager` is told the server's state. Of `roles` the first answers every request that the others do
    /// not.
    package init(
        _ configuration: Configuration,
        version: String,
        logger: Logger,
        roles: [any ServedRole.Type],
        manager: Supervisor? = nil
    ) throws {
        for role in roles { try role.check(configuration) }
        self.logger = logger
        self.manager = manager
        let certificate = try ServerCertificate(configuration.server)
        let core = ServerCore(
            configuration: configuration,
            version: version,
            ledger: try Ledger.open(configuration.store, create: true, logger: logger),
            apps: Self.apps(configuration, logger),
            certificate: certificate,
            document: { OpenAPIDocument.make(version: version, roles.map { $0.section }) },
            logger: logger
        )
        self.core = core
        self.roles = try roles.compactMap { try $0.init(core) }
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
    /// `running` is called with the port once the server listens, `edgeRunning` and `metricsRunning` with the ports of
    /// the edge and of the metrics when they have addresses of their own. Throws when an address cannot be listened on.
    package func run(
        running: @escaping @Sendable (Int) -> Void = { _ in },
        edgeRunning: @escaping @Sendable (Int) -> Void = { _ in },
        metricsRunning: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws {
        let own = roles.compactMap { role in role.ownAddress.map { edge(role, $0, edgeRunning) } }
        let main = Listener(
            server: core,
            address: core.configuration.server.listen,
            limiter: core.mainLimiter,
            certificate: core.certificate,
            roles: roles.filter { $0.ownAddress == nil }.reversed(),
            speaksHTTP2: false,
            title: "listening",
            running: { [core] port in
                core.readiness.listens()
                running(port)
            }
        )
        let metrics = core.configuration.server.metricsListen.map { metricsListener($0, metricsRunning) }
        // The edge first: at the report that the server runs, both listen.
        let listeners = (own + [metrics].compactMap(\.self) + [main]).map { $0.service(logger) }
        let stop = StopNotice(server: self)
        let supervision = manager.map { Supervision(manager: $0, readiness: core.readiness) }
        var configuration = ServiceGroupConfiguration(
            services: listeners + [stop, appsPoll, certificatePoll] + roles.flatMap(\.services)
                + [supervision].compactMap(\.self),
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

    private func edge(
        _ role: any ServedRole,
        _ address: Configuration.NetworkAddress,
        _ running: @escaping @Sendable (Int) -> Void
    ) -> Listener {
        Listener(
            server: core,
            address: address,
            limiter: core.edgeLimiter,
            certificate: core.certificate,
            roles: [role],
            speaksHTTP2: true,
            title: "the device edge",
            running: running
        )
    }

    /// Returns the listener for probes and metrics alone, whose connections count as those of the server's address.
    private func metricsListener(
        _ address: Configuration.NetworkAddress,
        _ running: @escaping @Sendable (Int) -> Void
    ) -> Listener {
        Listener(
            server: core,
            address: address,
            limiter: core.mainLimiter,
            certificate: core.certificate,
            roles: roles.filter { $0.ownAddress == nil }.reversed(),
            paths: ["/livez", "/readyz", "/metrics"],
            speaksHTTP2: false,
            title: "metrics",
            running: running
        )
    }

    /// Returns the role of a type, if the server has it.
    func role<Served: ServedRole>(_ type: Served.Type) -> Served? { roles.lazy.compactMap { $0 as? Served }.first }

    private func close() async {
        for role in roles.reversed() { await role.close() }
        await core.ledger.close()
    }
}

/// Makes readiness probes fail as soon as a stop begins, and ends the event streams, which would delay the stop.
private struct StopNotice: Service {
    let server: WebServer

    func run() async throws {
        await withGracefulShutdownHandler {
            try? await gracefulShutdown()  // thrown only on cancellation, which is a stop too
            for role in server.roles { await role.stop() }
        } onGracefulShutdown: {
            server.core.readiness.stop()
            server.manager?.stopping()
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
                ServiceStatus(isAlive: true, unreadiness: await readiness.reasons(), doing: "serving")
            }
        }
    }
}
