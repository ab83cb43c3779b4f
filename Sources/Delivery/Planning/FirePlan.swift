public import Campaigns

/// What an order to fire a campaign comes to, in the transaction that read it.
public enum FirePlan: Sendable, Equatable {
    /// Nothing: the campaign is over.
    case isOver
    /// Nothing: it never waited for this.
    case isNotHeld
    /// Nothing: it was fired before.
    case wasFired
    /// It is fired.
    case fires(stage: CampaignStage, expiresAt: Timestamp)

    /// What the ledger knows of a campaign's release.
    public struct Facts: Sendable, Equatable {
        /// Whether it waits to be fired, or has.
        public var isHeld: Bool
        /// The producer's instant.
        public var createdAt: Timestamp
        /// So many seconds after its release it ends; nil when it ends at an instant of its own.
        public var releaseSeconds: Int64?
        /// Whether it was fired.
        public var isFired: Bool

        /// Facts.
        public init(isHeld: Bool, createdAt: Timestamp, releaseSeconds: Int64?, isFired: Bool) {
            self.isHeld = isHeld
            self.createdAt = createdAt
            self.releaseSeconds = releaseSeconds
            self.isFired = isFired
        }
    }

    /// Decides what an order comes to: fired twice is fired once, and what counts from the release begins now.
    public init(_ campaign: CampaignFacts, _ facts: Facts, now: Timestamp) {
        guard campaign.stage.isLive, campaign.ending(at: now) == nil else {
            self = .isOver
            return
        }
        guard facts.isHeld else {
            self = .isNotHeld
            return
        }
        guard !facts.isFired else {
            self = .wasFired
            return
        }
        let release = ExpiryRule.release(
            createdAt: facts.createdAt,
            sendAt: campaign.sendAt,
            firedAt: now,
            acceptedAt: now
        )
        self = .fires(
            // One whose audience is still being written begins when that is done.
            stage: campaign.stage == .held ? .scheduled : campaign.stage,
            expiresAt: facts.releaseSeconds.map { release.advanced(by: .seconds($0)) } ?? campaign.expiresAt
        )
    }

    /// Where the rows go that were cut before: out, when the campaign may be planned now.
    public static let releasedState = ShardState.unpublished

    /// The providers whose rows go out now, in a campaign of several (nil: all of it): a planner lets the others go when
    /// their trouble is over.
    public static func releases(_ shares: [CampaignFacts], now: Timestamp) -> Set<ProviderName>? {
        guard shares.contains(where: \.hasShares) else { return nil }
        return Set(shares.filter { $0.mayPlan(at: now) }.compactMap(\.share))
    }
}

extension CampaignFacts {
    /// Whether its first shards may be cut while it waits to be fired.
    public func mayPrepare(at now: Timestamp) -> Bool { stage == .held && ending(at: now) == nil }
}
