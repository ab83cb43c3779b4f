public import Campaigns

/// A campaign that this worker plans for the next seconds; in a campaign of several providers, one share of it.
public struct LeasedCampaign: Sendable, Equatable {
    /// The campaign, as these devices see it.
    public var facts: CampaignFacts
    /// The urgency of its lane.
    public var urgency: Urgency
    /// The provider of its lane.
    public var provider: ProviderName
    /// The lease's epoch, which fences every write of this lease.
    public var leaseEpoch: UInt32
    /// The worker that has the lease.
    public var worker: Int64
    /// The number of chunks that are not cut into shards yet and whose part is released.
    public var unplannedChunks: Int
    /// True if the campaign, its app or its provider has a limit: then its shards get turns.
    public var isPaced: Bool

    /// A leased campaign.
    public init(
        facts: CampaignFacts,
        urgency: Urgency,
        provider: ProviderName,
        leaseEpoch: UInt32,
        worker: Int64,
        unplannedChunks: Int,
        isPaced: Bool = false
    ) {
        self.facts = facts
        self.urgency = urgency
        self.provider = provider
        self.leaseEpoch = leaseEpoch
        self.worker = worker
        self.unplannedChunks = unplannedChunks
        self.isPaced = isPaced
    }

    /// The lane of its shards.
    public var lane: Lane { Lane(provider: provider, urgency: urgency) }

    /// The right to write for it.
    public var token: LeaseToken {
        LeaseToken(campaign: facts.number, share: facts.share, epoch: leaseEpoch, worker: worker)
    }

    /// The right to write for the whole campaign, whatever share this is.
    public var wholeToken: LeaseToken { LeaseToken(campaign: facts.number, epoch: leaseEpoch, worker: worker) }

    /// The audience, which is frozen as a whole or begins to flow.
    public var audience: LeasedAudience { LeasedAudience(facts: facts, urgency: urgency, token: wholeToken) }

    /// The key of the share.
    public var key: ShareKey { ShareKey(facts) }
}

/// The unit that a planner plans: a campaign, or each provider's share of a campaign of several.
public struct ShareKey: Hashable, Sendable {
    /// The campaign's number.
    public let campaign: UInt32
    /// The provider; nil in a campaign of one provider.
    public let provider: ProviderName?

    /// The key of the share with these facts.
    public init(_ facts: CampaignFacts) {
        campaign = facts.number
        provider = facts.share
    }
}
