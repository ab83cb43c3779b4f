import ArgumentParser
import Campaigns
import Operations
import Store

/// Lists every device of a campaign with its outcome.
struct CampaignOutcomesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outcomes",
        abstract: "Print every device of a campaign with its outcome: CSV, or with --ndjson an object a line.",
        discussion: """
            Page by page, so that a million devices take no more memory than ten; tokens in full, because lists are cleaned \
            with them.

              fanfare campaign outcomes derby --outcome invalid --ndjson
              fanfare campaign outcomes derby --outcome failed --reason PayloadTooLarge

            Example: fanfare campaign outcomes news/derby --outcome invalid --ndjson
            """
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @Option(help: "Only devices with this outcome (accepted, invalid, failed, …), or pending ones.")
    var outcome: String?

    @Option(help: "Only devices with this reason, for example Unregistered.")
    var reason: String?

    @Flag(help: "An object a line, the same as --json.")
    var ndjson = false

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard outcome.map(OutcomeExport.outcomes.contains) ?? true else {
            throw ValidationError("--outcome is one of \(OutcomeExport.outcomes.joined(separator: ", "))")
        }
    }

    func run() async throws {
        let campaign = campaign
        let format = output.json || ndjson ? OutcomeExport.Format.ndjson : .csv
        let (outcome, reason) = (outcome, reason)
        try await options.withLedger { ledger in
            let found = try await ledger.read { try $0.campaignNumber(app: campaign.app, id: campaign.id) }
            guard let number = found else { throw campaign.notFound(in: ledger) }
            guard try await !ledger.read({ try $0.areOutcomesForgotten(campaign: number) }) else {
                throw CommandFailure(
                    .failed,
                    "the outcomes of \(campaign.text)'s single devices are not kept any longer "
                        + "(store.retention.outcomes); its totals are: fanfare campaign status \(campaign.text)"
                )
            }
            // A write fails when the output's reader is gone, which ends the command.
            var export = OutcomeExport(format, campaign: number, outcome: outcome, reason: reason)
            while let text = try await export.next(in: ledger) {
                guard Terminal.write(text) else { throw FanfareExit.failed }
            }
        }
    }
}
