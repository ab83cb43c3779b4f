public import Campaigns

/// A person's order for a message that was set aside.
public enum ParkedOrder: String, Sendable, CaseIterable {
    /// Take it up again.
    case replay
    /// Give it up.
    case discard
}

/// The effect of a person's decision on a parked shard's message (contract, section 3).
///
/// The message itself is never published again. The row counts: a replay makes a new message from it, with a higher
/// generation, so that any remaining copies of the old message are superseded.
public enum ParkedShard {
    /// The ledger's action in one transaction.
    public enum Decision: Equatable, Sendable {
        /// The ledger does not know the shard: the message stays, and nothing is sent for it.
        case unknown
        /// No device waits for this message: it is removed, and the row stays as it is.
        case superseded
        /// Settle the devices without an outcome with this one.
        case end(Outcome)
        /// Settle the devices without an outcome as `failed`, reason `Parked`.
        case giveUp
        /// Raise generation and epoch by one; the planner publishes the shard as soon as the campaign may run.
        case publishAnew
    }

    /// Decides about a parked message.
    ///
    /// - Parameters:
    ///   - order: The person's order.
    ///   - generation: The message's generation.
    ///   - content: The message's description of itself.
    ///   - shard: The row of its key; nil if there is none.
    ///   - campaign: The row's campaign; nil if there is none.
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
        // The row is the planner's, a worker's or nobody's.
        case .settled, .aside, .unpublished, .running: return .superseded
        // Out: this was the row's message, and it left the queues otherwise than by a claim.
        case .parked, .out: break
        }
        if let outcome = campaign.ending(at: now) { return .end(outcome) }
        return order == .replay ? .publishAnew : .giveUp
    }

    /// Returns true if no device waits for a message, whatever a person decides: its row is settled.
    ///
    /// - Parameters:
    ///   - generation: The message's generation.
    ///   - content: The message's description of itself.
    ///   - shard: The row of its key; nil if there is none.
    ///   - campaign: The row's campaign; nil if there is none.
    public static func isOver(
        generation: UInt32,
        content: Claim.Content,
        shard: ShardRecord?,
        campaign: CampaignFacts?
    ) -> Bool {
        guard let shard, let campaign, content.fits(shard, campaign) else { return false }
        return shard.state == .settled && generation <= shard.generation
    }

    /// Returns true if a shard's row waits for a person because its message was taken out of the queues.
    ///
    /// - Parameters:
    ///   - generation: The message's generation.
    ///   - content: The message's description of itself.
    ///   - shard: The row of its key; nil if there is none.
    ///   - campaign: The row's campaign; nil if there is none.
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
        // The message was in a queue, so it is out, even if the planner has not noted its confirm yet.
        case .unpublished, .out: return true
        // A run whose message the broker took away has lost its lease.
        case .running: return true
        case .settled, .aside, .parked: return false
        }
    }
}
