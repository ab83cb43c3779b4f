import ArgumentParser

/// The commands about campaigns.
struct CampaignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Send campaigns, look at them and steer them; ID is ID or APP/ID.",
        subcommands: [
            CampaignSendCommand.self, CampaignPreviewCommand.self, CampaignStatusCommand.self,
            CampaignWatchCommand.self,
            CampaignListCommand.self, CampaignEventsCommand.self,
            CampaignPauseCommand.self, CampaignResumeCommand.self, CampaignCancelCommand.self, CampaignSetCommand.self,
            CampaignFireCommand.self, CampaignOutcomesCommand.self, CampaignReportCommand.self,
        ]
    )
}
