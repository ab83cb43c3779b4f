import ArgumentParser
import Campaigns
import Fleet
import Store

/// Where a campaign stands.
struct CampaignStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print where a campaign stands: every device by outcome, and where the others wait."
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let view = try await options.withLedger { try await Self.view(of: campaign, in: $0) }
        Terminal.write((output.json ? view.json.text : view.text(now: CommandClock.now())) + "\n")
    }

    /// The status; of a campaign that is being sent, with its rate, for which it is looked at twice.
    static func view(of campaign: CampaignArgument, in ledger: Ledger) async throws -> CampaignStatusView {
        var meter = RateMeter()
        var view = try await once(campaign, in: ledger)
        guard view.state == "sending" else { return view }
        _ = meter.rate(total: view.outcomes.total, now: CommandClock.now())
        try await Task.sleep(for: .milliseconds(300))
        view = try await once(campaign, in: ledger)
        let now = CommandClock.now()
        view.note(rate: meter.rate(total: view.outcomes.total, now: now), now: now)
        return view
    }

    private static func once(_ campaign: CampaignArgument, in ledger: Ledger) async throws -> CampaignStatusView {
        let now = CommandClock.now()
        if let status = try await ledger.read({ try $0.status(app: campaign.app, id: campaign.id, now: now) }) {
            return CampaignStatusView(status)
        }
        if let refused = try await ledger.read({ try $0.refusedJob(app: campaign.app, id: campaign.id) }) {
            return CampaignStatusView(refused)
        }
        throw campaign.notFound(in: ledger)
    }
}
