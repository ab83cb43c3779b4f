public import Campaigns

/// What the ledger forgets, and when (contract, section 4: `store.retention.*`); nothing of a live campaign.
public struct Retention: Sendable, Equatable {
    /// How long finished campaigns and refusals are kept, from their end.
    public var campaigns: Duration
    /// How long outcomes of single devices are kept, from the campaign's end; the totals stay with the campaign.
    public var outcomes: Duration
    /// How long lists that no kept campaign uses are kept, from their last upload.
    public var lists: Duration
    /// How long parked messages are kept, from when they last came.
    public var parked: Duration
    /// How long what single phones said is kept, from the campaign's end; the totals stay with the campaign.
    public var tracking: Duration

    /// The contract's defaults, unless said otherwise.
    public init(
        campaigns: Duration = .seconds(90 * 86_400),
        outcomes: Duration = .seconds(30 * 86_400),
        lists: Duration = .seconds(30 * 86_400),
        parked: Duration = .seconds(30 * 86_400),
        tracking: Duration = .seconds(90 * 86_400)
    ) {
        self.campaigns = campaigns
        self.outcomes = outcomes
        self.lists = lists
        self.parked = parked
        self.tracking = tracking
    }

    /// What becomes of a campaign.
    public enum Verdict: Sendable, Equatable {
        /// All of it stays.
        case keep
        /// Its totals stay.
        case forgetOutcomes
        /// Nothing of it stays.
        case forget
    }

    /// The verdict on a campaign; one that has no end is live and stays whole, however old it is.
    public func verdict(completedAt: Timestamp?, now: Timestamp) -> Verdict {
        guard let completedAt else { return .keep }
        if isOver(campaigns, since: completedAt, now: now) { return .forget }
        return isOver(outcomes, since: completedAt, now: now) ? .forgetOutcomes : .keep
    }

    /// Whether a list goes; never one that a live or kept campaign uses.
    public func forgetsList(touchedAt: Timestamp, isUsed: Bool, now: Timestamp) -> Bool {
        !isUsed && isOver(lists, since: touchedAt, now: now)
    }

    /// Whether a parked message goes; never one of a live campaign, whose devices may wait with it.
    public func forgetsParked(lastAt: Timestamp, isOfLiveCampaign: Bool, now: Timestamp) -> Bool {
        !isOfLiveCampaign && isOver(parked, since: lastAt, now: now)
    }

    /// Whether the refusal of a job goes.
    public func forgetsRefusal(at: Timestamp, now: Timestamp) -> Bool {
        isOver(campaigns, since: at, now: now)
    }

    /// How long from one look to the next: an hour, and for short times a part of the shortest.
    public var pause: Duration {
        let shortest = min(campaigns, outcomes, lists, parked, tracking)
        return min(.seconds(3600), max(.seconds(1), shortest / 24))
    }

    /// Whether what single phones said of a campaign goes; what comes later is not counted any more.
    public func forgetsTracking(completedAt: Timestamp?, now: Timestamp) -> Bool {
        completedAt.map { isOver(tracking, since: $0, now: now) } ?? false
    }

    private func isOver(_ time: Duration, since: Timestamp, now: Timestamp) -> Bool {
        since.advanced(by: time) <= now
    }
}
