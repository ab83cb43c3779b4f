public import Campaigns
public import Delivery

/// The campaign that holds a job's key.
public struct KnownCampaign: Sendable, Equatable {
    /// The campaign's facts.
    public var facts: CampaignFacts
    /// The hash of the normalized job.
    public var identity: [UInt8]
    /// The instant of acceptance.
    public var acceptedAt: Timestamp

    /// The campaign as a holder for `IntakeDecision`.
    public var holder: IntakeDecision.Holder { .campaign(number: facts.number, identity: identity) }
    /// The state in the contract's words.
    public var state: String { facts.stateWord }
}
