import ArgumentParser

/// The commands about campaigns.
struct CampaignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Look at campaigns and steer them; ID is ID or APP/ID.",
        subcommands: [
            CampaignStatusCommand.self, CampaignListCommand.self, CampaignPauseCommand.self,
            CampaignResumeCommand.self, CampaignCancelCommand.self, CampaignOutcomesCommand.self,
        ]
    )
}
