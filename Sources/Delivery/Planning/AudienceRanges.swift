public import Campaigns

/// The ranges of the registry in which an audience that flows is frozen: several planners freeze one audience.
///
/// Each range has a cursor, a lease, ordinals and device indexes of its own. It is a part of the registry's numbers, so
/// no installation is in two of them. All are fixed at the audience's start.
public enum AudienceRanges {
    /// The largest number of ranges: the ordinals of a list (2^23, `ShardRecord.pieces`) are divided among so many.
    public static let most = 16
    /// The fewest device numbers of a range: less is frozen within a second by one planner, before another has heard of
    /// it.
    public static let least: Int64 = 250_000
    /// The ordinals of chunks that each range has to itself.
    public static let ordinals: UInt32 = 1 << 19

    /// The number of ranges of an audience.
    ///
    /// There are as many as planners, so that each has one. But the end of each range closes chunks that are not full:
    /// at most half of what pieces may add to the shards goes to the ends.
    ///
    /// - Parameters:
    ///   - registry: The numbers of devices that the app's registry has given away.
    ///   - planners: The live planners that know the app.
    ///   - expected: The estimated size of the audience.
    ///   - groups: The groups of devices that were met in the sample; others are rarer, and as many are assumed.
    public static func count(registry: Int64, planners: Int, expected: AudienceEstimate, groups: Int) -> Int {
        let closed = min(ListBuilder.openGroupsMax, max(1, groups) * 2)
        let room = expected.least / Shard.devicesMax / (2 * AudiencePieces.addedPart * closed)
        return max(1, min(most, planners, room, Int(registry / least)))
    }

    /// The ranges' positions, which are device numbers: `count` ranges that are alike and cover the registry.
    public static func ranges(of registry: Int64, count: Int) -> [Range<Int64>] {
        let ends = (0...Int64(count)).map { registry * $0 / Int64(count) }
        return zip(ends, ends.dropFirst()).map { $0..<$1 }
    }
}

/// A range as its lease sees it.
public struct RangeLease: Sendable, Equatable {
    /// The campaign.
    public var campaign: UInt32
    /// The number of the range, from 0.
    public var range: Int
    /// True if the campaign's lane is urgent.
    public var isUrgent: Bool
    /// The lease.
    public var lease: PlannerLease

    /// A range.
    public init(campaign: UInt32, range: Int, isUrgent: Bool, lease: PlannerLease) {
        (self.campaign, self.range, self.isUrgent, self.lease) = (campaign, range, isUrgent, lease)
    }

    /// The ranges that a worker has from now on, with their leases.
    ///
    /// It keeps those that it has. Of each campaign of which it has none, it takes the first one that is nobody's or
    /// whose lease has run out; but no more in all than it freezes at a time, unless the campaign is urgent.
    ///
    /// - Parameters:
    ///   - ranges: The ranges that are not over, urgent campaigns first.
    ///   - worker: The worker.
    ///   - now: The instant.
    public static func taken(_ ranges: [RangeLease], by worker: Int64, now: Timestamp) -> [RangeLease] {
        var held: [RangeLease] = []
        var campaigns: Set<UInt32> = []
        for var range in ranges where range.lease.owner == worker {
            guard let lease = range.lease.taken(by: worker, isPaced: false, now: now) else { continue }
            range.lease = lease
            held.append(range)
            campaigns.insert(range.campaign)
        }
        for var range in ranges where range.lease.owner != worker && !campaigns.contains(range.campaign) {
            guard held.count < FreezingSeats.most || range.isUrgent,
                let lease = range.lease.taken(by: worker, isPaced: false, now: now)
            else { continue }
            range.lease = lease
            held.append(range)
            campaigns.insert(range.campaign)
        }
        return held
    }
}
