public import Campaigns
public import Delivery

/// The campaign that has a job's key.
public struct KnownCampaign: Sendable, Equatable {
    /// What is known of it.
    public var facts: CampaignFacts
    /// The hash of its normalised job.
    public var identity: [UInt8]
    /// When the ledger took it.
    public var acceptedAt: Timestamp

    /// The same for `IntakeDecision`.
    public var holder: IntakeDecision.Holder { .campaign(number: facts.number, identity: identity) }
    /// The state in the contract's words.
    public var state: String {
        facts.stage.isLive && !facts.pauseReasons.isEmpty ? "paused" : facts.stage.rawValue
    }
}
