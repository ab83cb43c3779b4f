import ArgumentParser
import Campaigns
import Operations
import Store

/// Prints the phones' reports about a campaign.
struct CampaignReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Print the phones' reports about a campaign: received, displayed, opened, buttons, answers.",
        discussion: """
            A device is counted once in each line, however often and on however many days it reported. Rates are shares of \
            the devices whose push the provider accepted.

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
        output.write(report.text, report.json)
    }
}
