import ArgumentParser
import Campaigns
import Fleet
import Store

/// The commands about lists of devices.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists of devices in the ledger.",
        subcommands: [Ls.self]
    )

    /// What lists there are.
    struct Ls: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the lists with their versions, the newest version of each first."
        )

        @Option(help: "Only this app's.")
        var app: String?

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let app = app
            let rows = try await options.withLedger { ledger in
                try await ledger.read { try $0.lists(app: app) }.compactMap { ListRow($0) }
            }
            let text = output.json ? JSONValue.array(rows.map(\.json)).text : ListRow.table(rows)
            Terminal.write(text + "\n")
        }
    }
}
