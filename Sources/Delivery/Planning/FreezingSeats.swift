public import Campaigns

/// An audience, or a range of one that flows, that this worker may freeze for the next seconds.
public struct LeasedAudience: Sendable, Equatable {
    /// The campaign.
    public var facts: CampaignFacts
    /// The urgency of its lane.
    public var urgency: Urgency
    /// The right to write for it.
    public var token: LeaseToken
    /// About the devices that were not looked at yet; 0 while that is not known, before this planner's first turn.
    public var left: Int64

    /// An audience.
    public init(facts: CampaignFacts, urgency: Urgency, token: LeaseToken, left: Int64 = 0) {
        (self.facts, self.urgency, self.token, self.left) = (facts, urgency, token, left)
    }

    /// The key of the work on it.
    public var key: AudienceKey { AudienceKey(token) }
}

/// The unit that a planner freezes: an audience, or each range of one that flows.
public struct AudienceKey: Hashable, Sendable, Comparable {
    /// The campaign's number.
    public let campaign: UInt32
    /// The number of the range; nil for an audience that is frozen as a whole or has not begun.
    public let range: Int?

    /// A key.
    public init(campaign: UInt32, range: Int?) {
        (self.campaign, self.range) = (campaign, range)
    }

    /// The order of the campaigns, then of the ranges.
    public static func < (one: AudienceKey, other: AudienceKey) -> Bool {
        (one.campaign, one.range ?? -1) < (other.campaign, other.range ?? -1)
    }

    /// The key of what a lease's holder may freeze.
    public init(_ token: LeaseToken) {
        self.init(campaign: token.campaign, range: token.range)
    }
}

/// The audiences that a planner freezes at a time, each for its part of a slice.
///
/// Each that is open has chunks under construction, some megabytes. So there are few seats, and what has none waits.
public enum FreezingSeats {
    /// The largest number of audiences at a time.
    public static let most = 4

    /// The audiences that have a seat, in the order in which they are worked on.
    ///
    /// Urgent ones come first, then those with the least left: a small one never waits for the end of a big one. One
    /// that loses its seat goes on later, behind its cursor. Among the others the one behind `last` is first, so that a
    /// slice that is used up by one is not used up by the same one again.
    ///
    /// - Parameters:
    ///   - due: The audiences that may be frozen.
    ///   - last: The one that was worked on last.
    public static func seated(_ due: [LeasedAudience], after last: AudienceKey? = nil) -> [LeasedAudience] {
        let ranked = due.enumerated().sorted { one, other in
            let (a, b) = (one.element, other.element)
            if (a.urgency == .urgent) != (b.urgency == .urgent) { return a.urgency == .urgent }
            return a.left != b.left ? a.left < b.left : one.offset < other.offset
        }
        let seated = Set(ranked.prefix(most).map(\.element.key))
        // The order of the leases does not change while audiences get smaller.
        let chosen = due.filter { seated.contains($0.key) }
        let urgent = chosen.filter { $0.urgency == .urgent }
        let bulk = chosen.filter { $0.urgency != .urgent }
        let next = bulk.firstIndex { $0.key == last }.map { ($0 + 1) % bulk.count } ?? 0
        return urgent + bulk[next...] + bulk[..<next]
    }
}
