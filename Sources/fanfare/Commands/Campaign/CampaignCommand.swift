import ArgumentParser

/// The commands about campaigns.
struct CampaignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Send, inspect and control campaigns; ID is ID or APP/ID.",
        subcommands: [
            CampaignSendCommand.self, CampaignPreviewCommand.self, CampaignStatusCommand.self,
            CampaignWatchCommand.self,
            CampaignListCommand.self, CampaignEventsCommand.self,
            CampaignPauseCommand.self, CampaignResumeCommand.self, CampaignCancelCommand.self, CampaignSetCommand.self,
            CampaignFireCommand.self, CampaignOutcomesCommand.self, CampaignReportCommand.self,
        ]
    )
}
