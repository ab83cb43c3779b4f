import ArgumentParser
import Campaigns
import Operations
import Store

/// Shows a campaign while it runs.
struct CampaignWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow a campaign to its end: progress, rate, what is left, outcomes, reasons, retries, parts.",
        discussion: """
            On a terminal the view is drawn again twice a second. Elsewhere a line is written when it says something new, \
            and with --json the object of campaign status, once a second when something has changed.

            It ends with the campaign: 0 when it is completed, 3 when devices failed or only parked ones are left, 1 when it \
            was cancelled or has failed. Interrupted, it leaves the campaign alone.

            Example: fanfare campaign watch news/derby
            """
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let isJSON = output.json
        let view = try await options.withLedger { ledger -> CampaignStatusView in
            let found = try await ledger.read { try $0.campaignNumber(app: campaign.app, id: campaign.id) }
            guard let number = found else { return try await refused(in: ledger) }
            switch Terminal.progressStyle {
            case .bar where !isJSON: return try await show(number, in: ledger, every: .milliseconds(500), Self.draw)
            case .lines where !isJSON:
                let follower = CampaignFollower(ledger: ledger, campaign: number, isQuiet: false, deadline: nil)
                return try await follower.follow()
            case .bar, .lines:
                return try await show(number, in: ledger, every: .seconds(1)) { view, _ in
                    Terminal.write(view.json.text + "\n")
                }
            }
        }
        throw view.exit
    }

    /// Shows the status at each change, until the end.
    private func show(
        _ number: UInt32,
        in ledger: Ledger,
        every pause: Duration,
        _ write: (CampaignStatusView, Timestamp) -> Bool
    ) async throws -> CampaignStatusView {
        var meter = RateMeter()
        var last: CampaignStatusView?
        while true {
            let now = ledger.now()
            guard let status = try await ledger.read({ try $0.status(campaign: number, now: now) }) else {
                throw campaign.notFound(in: ledger)
            }
            var view = CampaignStatusView(status)
            view.note(rate: meter.rate(total: view.outcomes.total, now: now), now: now)
            if view != last, !write(view, now) { throw FanfareExit.failed }
            last = view
            if view.isOver || view.isOnlyParked { return view }
            try await Task.sleep(for: pause)
        }
    }

    private static func draw(_ view: CampaignStatusView, now: Timestamp) -> Bool {
        guard case .bar(let columns) = Terminal.progressStyle else { return false }
        return Terminal.write("\u{1B}[H\u{1B}[2J" + view.screen(columns: columns, now: now))
    }

    /// Prints the status of a refused job, which ended before it began.
    private func refused(in ledger: Ledger) async throws -> CampaignStatusView {
        let probe = FleetProbe(try options.load(), ledger: ledger)
        let view = try await CampaignStatusCommand.view(of: campaign, in: ledger, probe)
        output.write(view.text(now: ledger.now()), view.json)
        return view
    }
}
