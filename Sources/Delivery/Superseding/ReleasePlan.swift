public import Campaigns

/// What the release of a campaign comes to, in the transaction that read it (design, section 9: collapse).
public enum ReleasePlan: Sendable, Equatable {
    /// Nothing: it is released.
    case isReleased
    /// Nothing: something else than older campaigns keeps it back, or it collapses with none.
    case isNotDue
    /// The older ones are marked as superseded, and their runs are looked at by this instant.
    case marks(at: Timestamp)
    /// The runs of the older ones are looked at, which were marked at this instant.
    case looks(since: Timestamp)

    /// Decides what a look at a campaign comes to.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - collapses: Whether it collapses with others.
    ///   - markedAt: When the older ones were marked; nil before.
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
