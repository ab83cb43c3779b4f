import ArgumentParser
import Campaigns
import HTTPServer
import Operations
import Settings
import Store

extension ServerCommand {
    /// The commands about access tokens.
    struct Token: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "token",
            abstract: "Access tokens of the HTTP API.",
            subcommands: [Create.self, List.self, Revoke.self]
        )

        /// Returns the file of the tokens.
        fileprivate static func file(_ options: ConfigurationOptions) throws -> String {
            guard let path = try options.load().server.tokensFile else {
                throw CommandFailure(
                    .configuration,
                    "server.tokens_file is not set: say where the tokens are kept (FANFARE_SERVER_TOKENS_FILE)"
                )
            }
            return path
        }

        /// Creates a token.
        struct Create: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Make an access token, print it once, and add its hash to server.tokens_file.",
                discussion: """
                    A viewer reads; an operator also sends and gives orders; an admin also reads the audit log. The token \
                    itself is stored nowhere. It expires after --valid, so that a forgotten one does not open the fleet for \
                    ever. A running server takes the new one within two seconds.

                    Example: fanfare server token create --name crm --role operator --app news --valid 90d
                    """
            )

            @Option(help: "The owner's name, for histories and logs.")
            var name: String

            @Option(help: "viewer, operator or admin.")
            var role: String

            @Option(help: "Only for this app; may be repeated. Without it, for all.")
            var app: [String] = []

            @Option(help: "The validity: 1h to 1825d.")
            var valid = "365d"

            @OptionGroup var flags: OrderFlags

            func validate() throws {
                guard DurationText.parse(valid).map(TokensFile.validity.contains) == true else {
                    throw ValidationError("--valid is a duration from 1h to 1825d, such as 90d")
                }
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
                let path = try Token.file(flags.options)
                let (token, hash) = NewAccessToken.make()
                let apps = app.isEmpty ? nil : Set(app)
                let end = WallClock.now().asRead.advanced(by: DurationText.parse(valid) ?? .seconds(3600))
                let entry = AccessToken(name: name, hash: hash, role: role, apps: apps, expiresAt: end)
                try TokensFile.add(entry, path: path, isDryRun: flags.isDryRun)
                if flags.isDryRun {
                    Terminal.write("\(path) would gain the token \(name)\n")
                    return
                }
                if flags.isJSON {
                    let document: JSONValue = [
                        "name": .string(name), "role": .string(role), "token": .string(token), "file": .string(path),
                        "apps": entry.appsJSON, "expires_at": .string(end.rfc3339),
                    ]
                    Terminal.write(document.text + "\n")
                } else {
                    Terminal.write(token + "\n")
                    Terminal.writeError(
                        "fanfare: it is shown only this once, and ends at \(end.rfc3339); \(path) has its hash\n"
                    )
                }
            }
        }

        /// Lists the tokens.
        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Print the access tokens by name; the tokens themselves are stored nowhere.",
                discussion: "Example: fanfare server token list --json"
            )

            @OptionGroup var options: ConfigurationOptions
            @OptionGroup var output: OutputOptions

            func run() async throws {
                let tokens = try TokensFile.read(path: try Token.file(options))
                let documents = tokens.map { token -> JSONValue in
                    [
                        "name": .string(token.name), "role": .string(token.role), "apps": token.appsJSON,
                        "expires_at": token.expiresAt.map { .string($0.rfc3339) } ?? .null,
                    ]
                }
                let now = WallClock.now().asRead
                var table = TextTable([("name", .left), ("role", .left), ("apps", .left), ("expires_at", .left)])
                for token in tokens {
                    let isOver = token.expiresAt.map { $0 <= now } ?? false
                    let end = token.expiresAt.map { $0.rfc3339 + (isOver ? " (over)" : "") } ?? "never"
                    table.add([token.name, token.role, token.apps?.sorted().joined(separator: ", ") ?? "all", end])
                }
                output.write(table.text, .array(documents))
            }
        }

        /// Revokes a token.
        struct Revoke: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Revoke an access token: it is refused from then on, and its open streams end.",
                discussion: """
                    A running server takes it within two seconds.

                    Example: fanfare server token revoke --name crm --dry-run
                    """
            )

            @Option(help: "The token's name, as server token list prints it.")
            var name: String

            @OptionGroup var flags: OrderFlags

            func run() async throws {
                let path = try Token.file(flags.options)
                try TokensFile.remove(named: name, path: path, isDryRun: flags.isDryRun)
                let document: JSONValue = ["revoked": .string(name), "file": .string(path)]
                let line =
                    flags.isDryRun ? "\(path) would lose the token \(name)" : "\(path) has no token \(name) any more"
                flags.write(line, document)
            }
        }
    }
}

extension AccessToken {
    /// The apps that the token is for, or `all`.
    fileprivate var appsJSON: JSONValue {
        apps.map { JSONValue.array($0.sorted().map(JSONValue.string)) } ?? "all"
    }
}
