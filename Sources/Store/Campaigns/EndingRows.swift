import Delivery

/// The SQL of ends that are due.
enum EndingRows {
    /// The condition that a campaign that is not completed has ended, or is to end at the instant of this placeholder.
    static func isEnding(_ campaign: String, at instant: Int) -> String {
        let over: [CampaignStage] = [.cancelled, .failed, .refused]
        return """
            (\(campaign).expires_at <= ?\(instant) OR \(campaign).superseded_by IS NOT NULL
                OR \(campaign).stage IN (\(over.sql)) OR \(campaign).rest_outcome IS NOT NULL)
            """
    }
}
