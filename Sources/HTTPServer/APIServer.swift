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
import TLS
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

    private let core: ServerCore
    private let logger: Logger
    /// Nil is HTTP in the clear.
    private let tls: TLSServerContext?

    /// Opens the ledger and reads tokens and apps; blocks.
    ///
    /// Throws `ConfigurationError` when the address is open to others and there are no tokens, or a file cannot be used;
    /// `LedgerError`. `version` is the program's.
    public init(_ configuration: Configuration, version: String, logger: Logger) throws {
        let listen = configuration.server.listen
        if configuration.server.tokensFile == nil, !Loopback.isLoopback(host: listen.host) {
            throw Self.openToAll(listen)
        }
        let tokens = try configuration.server.tokensFile.map { try TokensFile.read(path: $0) }
        if tokens == nil { logger.notice("no server.tokens_file: everybody on this host may do everything") }
        self.logger = logger
        tls = try Self.tls(configuration.server)
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
                mend: "make one with fanfare server token create, or listen on 127.0.0.1"
            )
        ])
    }

    /// Throws `ConfigurationError` when only one of the two files is named, or they cannot be used.
    private static func tls(_ settings: Configuration.ServerSettings) throws -> TLSServerContext? {
        let names = ["server.certificate_file", "server.private_key_file"]
        let paths = [settings.certificateFile, settings.privateKeyFile]
        guard paths.contains(where: { $0 != nil }) else { return nil }
        func problem(_ key: String, _ code: String, _ detail: String) -> ConfigurationError {
            ConfigurationError([ConfigurationProblem(place: "", key: key, code: code, detail: detail)])
        }
        var files: [[UInt8]] = []
        for (name, path) in zip(names, paths) {
            guard let path else { throw problem(name, "missing", "certificate and private key go together") }
            do {
                files.append(try InputFile(path: path).readAll(upTo: 1 << 20))
            } catch {
                throw problem(name, "unreadable_file", error.description)
            }
        }
        do {
            return try TLSServerContext(certificatePEM: files[0], privateKeyPEM: files[1], protocols: [])
        } catch {
            throw problem(names[0], "invalid_value", "\(error)")
        }
    }

    /// The apps file is the workers'; the server does without it, with fewer warnings for producers.
    private static func apps(_ configuration: Configuration, _ logger: Logger) -> [AppConfiguration] {
        do {
            return try AppsFile.read(path: configuration.appsFile)
        } catch {
            logger.info("no apps are known here", metadata: ["reason": "\(error)"])
            return []
        }
    }

    /// Answers until SIGTERM or SIGINT, then ends what is under way.
    ///
    /// `running` is called with the port once it listens. Throws when the address cannot be listened on.
    public func run(running: @escaping @Sendable (Int) -> Void = { _ in }) async throws {
        let listen = core.configuration.server.listen
        let scheme = tls == nil ? "http" : "https"
        let application = Application(
            responder: Front(core: core),
            server: .house(HTTP1Channel.Configuration(idleTimeout: Self.idleMax), tls),
            configuration: ApplicationConfiguration(address: .hostname(listen.host, port: listen.port)),
            onServerRunning: { [logger] channel in
                let port = channel.localAddress?.port ?? listen.port
                logger.info("listening", metadata: ["address": "\(scheme)://\(listen.host):\(port)"])
                running(port)
            },
            logger: logger
        )
        var configuration = ServiceGroupConfiguration(
            services: [application, StopNotice(core: core)],
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

    /// Reads tokens and apps again; what cannot be read changes nothing.
    public func reload() {
        if let path = core.configuration.server.tokensFile, let book = core.gate.tokens {
            do {
                let tokens = try TokensFile.read(path: path)
                book.replace(tokens)
                logger.info("access tokens were read again", metadata: ["count": "\(tokens.count)"])
            } catch {
                logger.error("the access tokens stay as they were", metadata: ["reason": "\(error)"])
            }
        }
        do {
            core.apps = try AppsFile.read(path: core.configuration.appsFile)
        } catch {
            logger.info("the apps stay as they were", metadata: ["reason": "\(error)"])
        }
    }

    private func close() async {
        await core.broker.close()
        await core.ledger.close()
    }
}

/// Tells the probe that the server stops, as soon as it does, and ends the streams, which would keep it from stopping.
private struct StopNotice: Service {
    let core: ServerCore

    func run() async throws {
        await withGracefulShutdownHandler {
            try? await gracefulShutdown()  // thrown only when the task is cancelled, which is a stop too
            await core.feed.stop()
        } onGracefulShutdown: {
            core.readiness.stop()
        }
    }
}
