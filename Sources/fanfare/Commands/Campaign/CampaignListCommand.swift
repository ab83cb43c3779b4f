import ArgumentParser
import Campaigns
import Operations
import Store

/// Lists the campaigns of the ledger.
struct CampaignListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the campaigns, the latest first.",
        discussion: "Example: fanfare campaign list --app news --state sending"
    )

    @Option(help: "Only this app's.")
    var app: String?

    @Option(help: "Only those in this state, for example sending or paused; may be repeated.")
    var state: [String] = []

    @Option(help: "Only those with this text in their id, app or name.")
    var search: String?

    @Option(help: "How many at most.")
    var limit = 50

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is a number from 1") }
        guard state.allSatisfy(CampaignStatusReader.states.contains) else {
            throw ValidationError("--state is one of \(CampaignStatusReader.states.joined(separator: ", "))")
        }
    }

    func run() async throws {
        let (app, search, limit) = (app, search, limit)
        let states = state.isEmpty ? nil : Set(state)
        let rows = try await options.withLedger { ledger in
            let found = try await ledger.read {
                try $0.campaigns(app: app, states: states, search: search, limit: limit)
            }
            return try await CampaignStatusReader.rows(found, in: ledger)
        }
        output.write(CampaignRow.table(rows), JSONValue.array(rows.map(\.json)))
    }
}
