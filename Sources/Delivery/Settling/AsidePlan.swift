public import Campaigns

/// The ledger's writes for a run that stops early, in the transaction that read the row and its campaign.
public enum AsidePlan: Sendable, Equatable {
    /// Nothing: the row is another run's, or nobody's.
    case fenced
    /// The row keeps the run's progress and waits outside the queues until its reason ends, or for its message at once.
    case waits(ShardRecord)
    /// The campaign is over: the row is settled with this outcome.
    case ends(RowSettling, Outcome)

    /// Decides about a run's stop; throws if devices of a shard that is over cannot be counted.
    public init(
        _ token: RunToken,
        _ reason: AsideReason,
        _ progress: Progress,
        row: ShardRecord?,
        campaign: CampaignFacts?,
        now: Timestamp
    ) throws(UnlawfulShard) {
        guard let row, let campaign, let saved = token.saving(progress, in: row) else {
            self = .fenced
            return
        }
        if let outcome = campaign.ending(at: now) {
            self = .ends(try RowSettling(saved, endingAs: outcome), outcome)
        } else {
            self = .waits(saved.setAside(reason))
        }
    }
}
