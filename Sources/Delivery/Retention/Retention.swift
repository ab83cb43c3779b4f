public import Campaigns

/// The rules by which the ledger forgets (contract, section 4: `store.retention.*`); nothing of a live campaign.
public struct Retention: Sendable, Equatable {
    /// The time for which finished campaigns and refusals are kept, from their end.
    public var campaigns: Duration
    /// The time for which outcomes of single devices are kept, from the campaign's end; the totals stay with the
    /// campaign.
    public var outcomes: Duration
    /// The time for which lists that no kept campaign uses are kept, from their last upload.
    public var lists: Duration
    /// The time for which parked messages are kept, from their last arrival.
    public var parked: Duration
    /// The time for which reports of single phones are kept, from the campaign's end; the totals stay with the
    /// campaign.
    public var tracking: Duration

    /// Retention with the contract's defaults.
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

    /// The verdict on a campaign.
    public enum Verdict: Sendable, Equatable {
        /// The whole campaign stays.
        case keep
        /// Only its totals stay.
        case forgetOutcomes
        /// Nothing stays.
        case forget
    }

    /// Returns the verdict on a campaign; one without an end is live and stays whole, however old it is.
    public func verdict(completedAt: Timestamp?, now: Timestamp) -> Verdict {
        guard let completedAt else { return .keep }
        if isOver(campaigns, since: completedAt, now: now) { return .forget }
        return isOver(outcomes, since: completedAt, now: now) ? .forgetOutcomes : .keep
    }

    /// Returns true if a list is to be dropped; never one that a live or kept campaign uses.
    public func forgetsList(touchedAt: Timestamp, isUsed: Bool, now: Timestamp) -> Bool {
        !isUsed && isOver(lists, since: touchedAt, now: now)
    }

    /// Returns true if a parked message is to be dropped; never one of a live campaign, whose devices may wait with it.
    public func forgetsParked(lastAt: Timestamp, isOfLiveCampaign: Bool, now: Timestamp) -> Bool {
        !isOfLiveCampaign && isOver(parked, since: lastAt, now: now)
    }

    /// Returns true if the refusal of a job is to be dropped.
    public func forgetsRefusal(at: Timestamp, now: Timestamp) -> Bool {
        isOver(campaigns, since: at, now: now)
    }

    /// The interval between checks: an hour, or for short times a part of the shortest.
    public var pause: Duration {
        let shortest = min(campaigns, outcomes, lists, parked, tracking)
        return min(.seconds(3600), max(.seconds(1), shortest / 24))
    }

    /// Returns true if reports of single phones about a campaign are to be dropped; later reports are no longer
    /// counted.
    public func forgetsTracking(completedAt: Timestamp?, now: Timestamp) -> Bool {
        completedAt.map { isOver(tracking, since: $0, now: now) } ?? false
    }

    private func isOver(_ time: Duration, since: Timestamp, now: Timestamp) -> Bool {
        since.advanced(by: time) <= now
    }
}
