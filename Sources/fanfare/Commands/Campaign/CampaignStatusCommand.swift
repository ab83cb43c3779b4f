import ArgumentParser
import Campaigns
import Fleet
import Store

/// Where a campaign stands.
struct CampaignStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print where a campaign stands: every device by outcome, and where the others wait.",
        discussion: "Example: fanfare campaign status news/derby --json"
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let view = try await options.withLedger { try await Self.view(of: campaign, in: $0) }
        Terminal.write((output.json ? view.json.text : view.text(now: WallClock.now().asRead)) + "\n")
    }

    /// The status; of a campaign that is being sent, with its rate, for which it is looked at twice.
    static func view(of campaign: CampaignArgument, in ledger: Ledger) async throws -> CampaignStatusView {
        guard let view = try await CampaignLook.status(app: campaign.app, id: campaign.id, in: ledger) else {
            throw campaign.notFound(in: ledger)
        }
        return view
    }
}
