import ArgumentParser
import Campaigns
import Fleet
import PushProviders

/// The commands about apps.
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "The apps that pushes are sent for.",
        subcommands: [Check.self]
    )

    /// Tries the keys, so that a wrong one is found before the first push.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read the apps file and try every key and certificate, without sending anything."
        )

        @Argument(help: "Only this app.")
        var name: String?

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let file = try options.load().appsFile
            let apps = try AppsFile.read(path: file).filter { name == nil || $0.name == name }
            if let name, apps.isEmpty { throw CommandFailure(.notFound, "\(file) has no app \(name)") }
            if output.json {
                Terminal.write(JSONValue.array(apps.map(Self.json)).text + "\n")
                return
            }
            Terminal.write(Self.table(apps).text + "\n")
        }

        private static func json(_ app: AppConfiguration) -> JSONValue {
            let accounts = app.accounts.map(\.account).map { account in
                let fields = account.summary.map { JSONMember($0.name, .string($0.value)) }
                return JSONMember(account.provider.name.rawValue, .object(fields))
            }
            return .object([JSONMember("app", .string(app.name))] + accounts)
        }

        /// A column for whatever any provider has to say.
        private static func table(_ apps: [AppConfiguration]) -> TextTable {
            let rows = apps.flatMap { app in app.accounts.map { (app: app.name, account: $0.account) } }
            var columns: [String] = []
            for name in rows.flatMap({ $0.account.summary.map(\.name) }) where !columns.contains(name) {
                columns.append(name)
            }
            var table = TextTable((["app", "provider"] + columns).map { ($0, .left) })
            for row in rows {
                let summary = row.account.summary
                let cells = columns.map { name in summary.first { $0.name == name }?.value ?? "" }
                table.add([row.app, row.account.provider.name.rawValue] + cells)
            }
            return table
        }
    }
}
