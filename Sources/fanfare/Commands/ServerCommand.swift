import ArgumentParser
import Logging
import Operations
import Settings
import Store
import UnixSignals
import WebServing

/// Runs the HTTP API.
struct ServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Serve the HTTP API.",
        discussion: """
            Runs until SIGTERM, which lets requests under way end (20 s). SIGHUP reads the access tokens, the certificate \
            and the apps again; a file that cannot be used changes nothing. Under systemd (Type=notify) it says READY=1 \
            when /readyz is 200, WATCHDOG=1, RELOADING=1 and STOPPING=1.

            Without server.tokens_file it listens on loopback only, and everybody on this host may do everything. With \
            it every request but /livez and /readyz needs a token: fanfare server token create makes one.

            Example: fanfare server --config /etc/fanfare/fanfare.yaml --listen 0.0.0.0:8080
            """,
        subcommands: [Token.self]
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Host and port (server.listen; default 127.0.0.1:8080).")
    var listen: String?

    func run() async throws {
        let sources = try options.sources([ConfigurationOptions.flag("--listen", "server.listen", listen)])
        let configuration = try sources.load()
        _ = StandardErrorLog.install(configuration.log)
        let reloads = await UnixSignalsSequence(trapping: .sighup)
        do {
            let server = try WebServer(
                configuration,
                version: Build.version,
                logger: Logger(label: "server"),
                roles: ServedRoles.all,
                manager: Supervisor()
            )
            let reloading = Task {
                for await _ in reloads { await server.reload() }
            }
            defer { reloading.cancel() }
            try await server.run()
        } catch let error as LedgerError {
            throw CommandFailure(error)
        }
    }
}
