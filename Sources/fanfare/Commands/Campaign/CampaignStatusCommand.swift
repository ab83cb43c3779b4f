import ArgumentParser
import Campaigns
import Operations
import Store

/// Prints a campaign's status.
struct CampaignStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print a campaign's status: devices by outcome, and where the pending ones wait.",
        discussion: "Example: fanfare campaign status news/derby --json"
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let configuration = try options.load()
        let view = try await options.withLedger { ledger in
            try await Self.view(of: campaign, in: ledger, FleetProbe(configuration, ledger: ledger))
        }
        output.write(view.text(now: WallClock.now().asRead), view.json)
    }

    /// Returns the status; while a campaign is being sent, reads it twice for its rate.
    static func view(
        of campaign: CampaignArgument,
        in ledger: Ledger,
        _ fleet: FleetProbe
    ) async throws -> CampaignStatusView {
        let view = try await CampaignStatusReader.status(app: campaign.app, id: campaign.id, in: ledger) {
            await fleet.take().forCampaigns
        }
        guard let view else { throw campaign.notFound(in: ledger) }
        return view
    }
}
