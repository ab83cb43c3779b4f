import ArgumentParser
import Campaigns
import Fleet
import Store

/// The campaigns of the ledger.
struct CampaignListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the campaigns, the latest first."
    )

    @Option(help: "Only this app's.")
    var app: String?

    @Option(help: "How many at most.")
    var limit = 50

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is a number from 1") }
    }

    func run() async throws {
        let (app, limit) = (app, limit)
        let rows = try await options.withLedger { ledger in
            try await ledger.read { try $0.campaigns(app: app, limit: limit) }.map { CampaignRow($0) }
        }
        let text = output.json ? JSONValue.array(rows.map(\.json)).text : CampaignRow.table(rows)
        Terminal.write(text + "\n")
    }
}
