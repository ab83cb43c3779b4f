import ArgumentParser
import Campaigns
import Fleet
import HTTPServer
import Logging
import Store
import UnixSignals

/// The HTTP side.
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
            let server = try APIServer(
                configuration,
                version: Fanfare.version,
                logger: Logger(label: "server"),
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

extension ServerCommand {
    /// The commands about access tokens.
    struct Token: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "token",
            abstract: "Access tokens of the HTTP API.",
            subcommands: [Create.self]
        )

        /// A new one.
        struct Create: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Make an access token, print it once, and add its hash to server.tokens_file.",
                discussion: """
                    A viewer looks; an operator sends and gives orders too; an admin also sees who did what. The token \
                    itself is kept nowhere. A running server takes the new one after SIGHUP.

                    Example: fanfare server token create --name crm --role operator --app news
                    """
            )

            @Option(help: "Whose it is, for histories and logs.")
            var name: String

            @Option(help: "viewer, operator or admin.")
            var role: String

            @Option(help: "Only for this app; may be repeated. Without it, for all.")
            var app: [String] = []

            @OptionGroup var trial: DryRunOptions
            @OptionGroup var options: ConfigurationOptions
            @OptionGroup var output: OutputOptions

            func validate() throws {
                guard TokensFile.isName(name) else {
                    throw ValidationError("--name is 1 to 128 of the characters A-Z a-z 0-9 . _ -")
                }
                guard TokensFile.roles.contains(role) else {
                    throw ValidationError("--role is one of \(TokensFile.roles.joined(separator: ", "))")
                }
                guard app.allSatisfy(NameRule.isApp) else {
                    throw ValidationError("--app is 1 to 128 of the characters A-Z a-z 0-9 . _ -")
                }
            }

            func run() async throws {
                guard let path = try options.load().server.tokensFile else {
                    throw CommandFailure(
                        .configuration,
                        "server.tokens_file is not set: say where the tokens are kept (FANFARE_SERVER_TOKENS_FILE)"
                    )
                }
                let (token, hash) = NewAccessToken.make()
                let apps = app.isEmpty ? nil : Set(app)
                let entry = AccessToken(name: name, hash: hash, role: role, apps: apps)
                try TokensFile.add(entry, path: path, isDryRun: trial.dryRun)
                if trial.dryRun {
                    Terminal.write("\(path) would have a token \(name) more\n")
                    return
                }
                if output.json {
                    let document: JSONValue = [
                        "name": .string(name), "role": .string(role), "token": .string(token), "file": .string(path),
                        "apps": apps.map { JSONValue.array($0.sorted().map(JSONValue.string)) }
                            ?? JSONValue.string("all"),
                    ]
                    Terminal.write(document.text + "\n")
                } else {
                    Terminal.write(token + "\n")
                    Terminal.writeError("fanfare: it is shown this once; \(path) has its hash\n")
                }
            }
        }
    }
}
