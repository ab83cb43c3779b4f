public import Campaigns

/// A campaign whose planner this worker is for the next seconds; of a campaign of several providers each share.
public struct LeasedCampaign: Sendable, Equatable {
    /// The campaign, as these devices meet it.
    public var facts: CampaignFacts
    /// Half of its lane.
    public var urgency: Urgency
    /// The other half.
    public var provider: ProviderName
    /// Fences every write of this lease.
    public var leaseEpoch: UInt32
    /// The worker that has the lease.
    public var worker: Int64
    /// Chunks that are not cut into shards yet and whose part is released.
    public var unplannedChunks: Int
    /// Whether the campaign, its app or its provider has a limit: then its shards get turns.
    public var isPaced: Bool

    /// A campaign that was leased.
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

    /// Where its shards go.
    public var lane: Lane { Lane(provider: provider, urgency: urgency) }

    /// The right to write for it.
    public var token: LeaseToken {
        LeaseToken(campaign: facts.number, share: facts.share, epoch: leaseEpoch, worker: worker)
    }

    /// What the planner looks after.
    public var key: ShareKey { ShareKey(facts) }
}

/// What a planner looks after by itself: a campaign, or of one of several providers each of those.
public struct ShareKey: Hashable, Sendable {
    /// The campaign's number.
    public let campaign: UInt32
    /// The provider; nil for a campaign of one.
    public let provider: ProviderName?

    /// What these facts are about.
    public init(_ facts: CampaignFacts) {
        campaign = facts.number
        provider = facts.share
    }
}
