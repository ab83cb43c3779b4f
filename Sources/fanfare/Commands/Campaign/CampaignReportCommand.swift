import ArgumentParser
import Campaigns
import Fleet
import Store

/// What a campaign was worth on the phones.
struct CampaignReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Print what phones said of a campaign: received, displayed, opened, buttons, answers.",
        discussion: """
            A device is counted once in each line, however often and on however many days it said so. Rates are shares of \
            the devices whose push the provider took.

            Example: fanfare campaign report news/derby --json
            """
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let report = try await options.withLedger { ledger in
            guard let report = try await CampaignReport.read(app: campaign.app, id: campaign.id, in: ledger) else {
                throw campaign.notFound(in: ledger)
            }
            return report
        }
        Terminal.write((output.json ? report.json.text : report.text) + "\n")
    }
}
