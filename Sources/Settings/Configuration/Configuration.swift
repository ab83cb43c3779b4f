package import Delivery
package import Logging
package import Transport

/// The configuration of a process at one moment: made at the start, and again on SIGHUP.
package struct Configuration: Sendable {
    /// `amqp.url`; its description leaves out the password.
    package let amqp: AMQPEndpoint
    /// The address in `amqp.management_url`; nil: the broker's first host, port 15671 with `amqps`, else 15672.
    ///
    /// User and password are those of `amqp`.
    package let management: NetworkAddress?
    /// True if `amqp.management_url` is `https`.
    package let isManagementSecure: Bool
    /// `store.url`.
    package let store: StoreLocation
    /// `store.retention.*`.
    package let retention: Retention
    /// `worker.*`.
    package let worker: WorkerSettings
    /// `server.*`.
    package let server: ServerSettings
    /// `events.webhook_hosts`.
    package let webhookHosts: WebhookHosts
    /// `apps.file`, absolute.
    package let appsFile: String
    /// `log.*`.
    package let log: LogSettings
    /// `telemetry.otlp_url`; nil: no traces.
    package let collector: NetworkAddress?
    /// Every key with its text and origin, in the catalogue's order.
    package let settings: [Setting]

    /// The location of the ledger.
    package enum StoreLocation: Sendable, Equatable {
        /// A file on one host; the path is absolute.
        case sqlite(path: String)
        /// A database for a fleet; the URL may hold a password.
        case postgreSQL(url: String)
    }

    /// The settings of a worker.
    package struct WorkerSettings: Sendable, Equatable {
        /// The worker's roles.
        package let roles: Set<Role>
        /// Event loops, at least 1.
        package let loops: Int
        /// The connections to push services that stay open while nothing is sent.
        package let warmConnections: Int
        /// The number of answers not yet in the ledger at which no further push is opened.
        package let unflushed: Int
        /// The time that SIGTERM leaves to what runs.
        package let drain: Duration
        /// The address of metrics and probes.
        package let listen: NetworkAddress
        /// True if the address was configured; only the default moves to the next free port.
        package let listenIsGiven: Bool
    }

    /// The settings of the HTTP side.
    package struct ServerSettings: Sendable, Equatable {
        /// The roles of the server.
        package let roles: Set<ServerRole>
        /// The address of the API.
        package let listen: NetworkAddress
        /// The address of the device edge; nil: that of the API.
        package let edgeListen: NetworkAddress?
        /// The address of probes and metrics alone; nil: only that of the API has them.
        package let metricsListen: NetworkAddress?
        /// The file of access tokens, absolute; nil: there are none.
        package let tokensFile: String?
        /// The file of the certificate (PEM), absolute; nil is HTTP in the clear.
        package let certificateFile: String?
        /// The file of its private key (PEM), absolute.
        package let privateKeyFile: String?
        /// Requests a second of one token.
        package let requestsPerSecond: Int
        /// Requests a second of one device at the edge.
        package let edgeRequestsPerSecond: Int
        /// Requests a second of one address at the edge that carry no device's secret.
        package let edgeRegistrationsPerSecond: Int
        /// The proxies whose statements about their clients are believed.
        package let trustedProxies: TrustedProxies
        /// Connections at once on each listening address; nil: as many as descriptors allow.
        package let connections: Int?
        /// Connections at once of one client's address; nil: half of `connections`.
        package let addressConnections: Int?
        /// The memory that this process may use, in bytes; nil: its control group's limit, or the machine's.
        package let memory: Int?
    }

    /// A role of a server.
    package enum ServerRole: String, Sendable, CaseIterable {
        /// The API for operators and producers, and the dashboard.
        case api
        /// The edge for apps' installations.
        case edge
    }

    /// The roles of a worker (design, section 2).
    package enum Role: String, Sendable, CaseIterable {
        case intake, planner, sender, tracking
    }

    /// A host and a port.
    package struct NetworkAddress: Sendable, Equatable, CustomStringConvertible {
        /// A name, an IPv4 address, or an IPv6 address without brackets.
        package let host: String
        /// 0 … 65,535; 0 lets the system choose.
        package let port: Int

        /// Creates an address.
        package init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        /// `host:port`, with IPv6 in brackets.
        package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    /// The log's settings.
    package struct LogSettings: Sendable, Equatable {
        /// The least severe level that is logged.
        package let level: Logger.Level
        /// The format of a line.
        package let format: LogFormat

        /// Creates settings; the contract's defaults are `info` and `auto`.
        package init(level: Logger.Level = .info, format: LogFormat = .auto) {
            self.level = level
            self.format = format
        }
    }

    /// Reads every setting's text; throws all problems of the settings together with those found before.
    init(settings: [String: Setting], base: String, problems: [ConfigurationProblem]) throws(ConfigurationError) {
        var reader = SettingReader(settings: settings, base: base, problems: problems)
        amqp = reader.broker("amqp.url")
        (management, isManagementSecure) = reader.httpOrHTTPSURL("amqp.management_url")
        store = reader.store("store.url")
        appsFile = reader.path("apps.file") ?? base
        webhookHosts = reader.webhookHosts("events.webhook_hosts")
        worker = WorkerSettings(
            roles: Set(reader.words("worker.roles").compactMap(Role.init(rawValue:))),
            loops: reader.number("worker.loops") ?? AvailableCores.count(),
            warmConnections: reader.number("worker.warm_connections") ?? 32,
            unflushed: reader.number("worker.unflushed") ?? 4000,
            drain: reader.duration("worker.drain"),
            listen: reader.address("worker.listen") ?? NetworkAddress(host: "127.0.0.1", port: 9464),
            listenIsGiven: settings["worker.listen"]?.origin != .fallback
        )
        collector = reader.address("telemetry.otlp_url", ofURL: "http://", "write http://host:port")
        log = LogSettings(
            level: Logger.Level(rawValue: reader.word("log.level")) ?? .info,
            format: LogFormat(rawValue: reader.word("log.format")) ?? .auto
        )
        retention = Retention(
            campaigns: reader.duration("store.retention.campaigns"),
            outcomes: reader.duration("store.retention.outcomes"),
            lists: reader.duration("store.retention.lists"),
            parked: reader.duration("store.retention.parked"),
            tracking: reader.duration("store.retention.tracking")
        )
        server = ServerSettings(
            roles: Set(reader.words("server.roles").compactMap(ServerRole.init(rawValue:))),
            listen: reader.address("server.listen") ?? NetworkAddress(host: "127.0.0.1", port: 8080),
            edgeListen: reader.address("server.edge_listen"),
            metricsListen: reader.address("server.metrics_listen"),
            tokensFile: reader.path("server.tokens_file"),
            certificateFile: reader.path("server.certificate_file"),
            privateKeyFile: reader.path("server.private_key_file"),
            requestsPerSecond: reader.number("server.requests_per_second") ?? 200,
            edgeRequestsPerSecond: reader.number("server.edge_requests_per_second") ?? 10,
            edgeRegistrationsPerSecond: reader.number("server.edge_registrations_per_second") ?? 200,
            trustedProxies: reader.proxies("server.trusted_proxies"),
            connections: reader.number("server.connections"),
            addressConnections: reader.number("server.address_connections"),
            memory: reader.number("server.memory_mib").map { $0 << 20 }
        )
        self.settings = ConfigurationCatalogue.keys.compactMap { settings[$0.name] }
        if !reader.problems.isEmpty { throw ConfigurationError(reader.problems) }
    }
}
