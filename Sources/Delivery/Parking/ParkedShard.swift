public import Campaigns

/// What a person may want of a message that was set aside.
public enum ParkedOrder: String, Sendable, CaseIterable {
    /// Take it up again.
    case replay
    /// Give it up.
    case discard
}

/// What becomes of a parked shard's message when a person decides about it (contract, section 3).
///
/// The message itself is never published again. The row is what counts: a replay makes a new message of it, of a higher
/// generation, so that whatever copies of the old one are left are superseded.
public enum ParkedShard {
    /// What the ledger does in one transaction.
    public enum Decision: Equatable, Sendable {
        /// The ledger does not know the shard: the message stays, nothing is sent for it.
        case unknown
        /// No device waits for this message: it is removed, the row stays as it is.
        case superseded
        /// Settle what has no outcome with this one.
        case end(Outcome)
        /// Settle what has no outcome as `failed`, reason `Parked`.
        case giveUp
        /// Generation and epoch + 1; the planner publishes it as soon as the campaign may run.
        case publishAnew
    }

    /// The decision.
    ///
    /// - Parameters:
    ///   - order: What the person wants.
    ///   - generation: The message's.
    ///   - content: What the message says of itself.
    ///   - shard: The row of its key; nil when there is none.
    ///   - campaign: The row's campaign; nil when there is none.
    ///   - now: The instant.
    public static func decide(
        _ order: ParkedOrder,
        generation: UInt32,
        content: Claim.Content,
        shard: ShardRecord?,
        campaign: CampaignFacts?,
        now: Timestamp
    ) -> Decision {
        guard let shard, let campaign, content.fits(shard, campaign), generation <= shard.generation else {
            return order == .replay ? .unknown : .superseded
        }
        guard generation == shard.generation else { return .superseded }
        switch shard.state {
        // The planner's, or a worker's, or nobody's any more.
        case .settled, .aside, .unpublished, .running: return .superseded
        // Out: this was the row's message, which left the queues by another way than a claim.
        case .parked, .out: break
        }
        if let outcome = campaign.ending(at: now) { return .end(outcome) }
        return order == .replay ? .publishAnew : .giveUp
    }

    /// Whether no device waits for a message any more, whatever a person decides: its row is settled.
    ///
    /// - Parameters:
    ///   - generation: The message's.
    ///   - content: What the message says of itself.
    ///   - shard: The row of its key; nil when there is none.
    ///   - campaign: The row's campaign; nil when there is none.
    public static func isOver(
        generation: UInt32,
        content: Claim.Content,
        shard: ShardRecord?,
        campaign: CampaignFacts?
    ) -> Bool {
        guard let shard, let campaign, content.fits(shard, campaign) else { return false }
        return shard.state == .settled && generation <= shard.generation
    }

    /// Whether the row of a shard waits for a person when its message was taken out of the queues.
    ///
    /// - Parameters:
    ///   - generation: The message's.
    ///   - content: What the message says of itself.
    ///   - shard: The row of its key; nil when there is none.
    ///   - campaign: The row's campaign; nil when there is none.
    public static func isLeftWaiting(
        generation: UInt32,
        content: Claim.Content,
        shard: ShardRecord?,
        campaign: CampaignFacts?
    ) -> Bool {
        guard let shard, let campaign, content.fits(shard, campaign), generation == shard.generation else {
            return false
        }
        switch shard.state {
        // The message was in a queue, so it is out, whether or not the planner has noted its confirm yet.
        case .unpublished, .out: return true
        // A run whose message the broker took away has lost its lease.
        case .running: return true
        case .settled, .aside, .parked: return false
        }
    }
}
