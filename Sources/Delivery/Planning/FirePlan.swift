public import Campaigns

/// The result of an order to fire a campaign, in the transaction that read it.
public enum FirePlan: Sendable, Equatable {
    /// Nothing: the campaign is over.
    case isOver
    /// Nothing: the campaign never waited to be fired.
    case isNotHeld
    /// Nothing: the campaign was fired before.
    case wasFired
    /// The campaign is fired.
    case fires(stage: CampaignStage, expiresAt: Timestamp)

    /// The ledger's facts about a campaign's release.
    public struct Facts: Sendable, Equatable {
        /// True if the campaign waits to be fired, or was fired.
        public var isHeld: Bool
        /// The producer's instant.
        public var createdAt: Timestamp
        /// The seconds from its release to its end; nil if it ends at a fixed instant.
        public var releaseSeconds: Int64?
        /// True if the campaign was fired.
        public var isFired: Bool

        /// Facts.
        public init(isHeld: Bool, createdAt: Timestamp, releaseSeconds: Int64?, isFired: Bool) {
            self.isHeld = isHeld
            self.createdAt = createdAt
            self.releaseSeconds = releaseSeconds
            self.isFired = isFired
        }
    }

    /// Decides about an order: a second order changes nothing, and time from the release begins now.
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
            // A campaign whose audience is still being written begins once that is done.
            stage: campaign.stage == .held ? .scheduled : campaign.stage,
            expiresAt: facts.releaseSeconds.map { release.advanced(by: .seconds($0)) } ?? campaign.expiresAt
        )
    }

    /// The state of rows that were cut before, if the campaign may be planned now: on their way out.
    public static let releasedState = ShardState.unpublished

    /// The providers whose rows go out now, in a campaign of several; nil means the whole campaign.
    ///
    /// A planner releases the other providers' rows when their trouble is over.
    public static func releases(_ shares: [CampaignFacts], now: Timestamp) -> Set<ProviderName>? {
        guard shares.contains(where: \.hasShares) else { return nil }
        return Set(shares.filter { $0.mayPlan(at: now) }.compactMap(\.share))
    }
}

extension CampaignFacts {
    /// Returns true if its first shards may be cut while it waits to be fired.
    public func mayPrepare(at now: Timestamp) -> Bool { stage == .held && ending(at: now) == nil }
}
