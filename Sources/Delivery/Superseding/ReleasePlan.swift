public import Campaigns

/// The result of a campaign's release, in the transaction that read it (design, section 9: collapse).
public enum ReleasePlan: Sendable, Equatable {
    /// Nothing: the campaign is already released.
    case isReleased
    /// Nothing: something other than older campaigns holds it back, or it collapses with none.
    case isNotDue
    /// The older campaigns are marked as superseded at this instant, and their runs are checked.
    case marks(at: Timestamp)
    /// The runs of the older campaigns, which were marked at this instant, are checked.
    case looks(since: Timestamp)

    /// Decides about a campaign.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - collapses: True if it collapses with others.
    ///   - markedAt: The instant at which the older campaigns were marked; nil before that.
    ///   - shared: The instant on the clock that all workers share.
    ///   - now: The instant.
    public init(
        _ campaign: CampaignFacts,
        collapses: Bool,
        markedAt: Timestamp?,
        shared: Timestamp,
        now: Timestamp
    ) {
        if campaign.isReleased {
            self = .isReleased
        } else if !campaign.mayRelease(at: now) || !collapses {
            self = .isNotDue
        } else {
            self = markedAt.map { .looks(since: $0) } ?? .marks(at: shared)
        }
    }
}
