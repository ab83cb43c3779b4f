import ArgumentParser
import Campaigns
import Delivery
import Fleet
import Store

/// Changes a campaign while it runs.
struct CampaignSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Give a campaign another rate while it runs.",
        discussion: """
            The new rate holds within two seconds over the whole fleet, for retries too.

              fanfare campaign set derby --per-second 2000
              fanfare campaign set derby --per-second none
            """
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @Option(help: ArgumentHelp("Requests a second, 1 to 1000000, or none.", valueName: "n"))
    var perSecond: RateArgument

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let pace = perSecond.pace
        try await CampaignOrder(verb: "set", campaign: campaign, isJSON: output.json).run(options) {
            try $0.setPace(campaign: $1, pace, now: $2.now)
        }
    }
}

/// A rate on the command line: a number, or `none`.
struct RateArgument: ExpressibleByArgument {
    let pace: Pace?

    init?(argument: String) {
        if argument == "none" {
            pace = nil
        } else if let rate = Int(argument), (1...1_000_000).contains(rate) {
            pace = Pace(perSecond: rate)
        } else {
            return nil
        }
    }
}
