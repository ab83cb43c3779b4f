/// The number of new shards that may be planned now, and its division among campaigns (design, section 10).
public enum Window {
    /// The smallest size of a lane's window: the shards that may be out and unclaimed.
    public static let floor = 16
    /// The prefetch that counts for a sender in a lane with campaigns under a rate, whose shards are due at their
    /// instants.
    public static let prefetchBesidePaced = 4
    /// The number of waiting retry shards above which a campaign is not planned further (`provider_slow`).
    public static let waitingRetriesMax = 10_000

    /// A campaign that has shards to plan.
    public struct Candidate: Sendable, Equatable {
        /// The campaign's number in the ledger.
        public var campaign: UInt32
        /// The campaign's app.
        public var app: String
        /// The number of its first-attempt shards that are out and unclaimed.
        public var unclaimed: Int
        /// The number of its shards that can still be cut.
        public var remaining: Int
        /// The number of its retry shards that wait.
        public var waitingRetries: Int

        /// A candidate.
        public init(campaign: UInt32, app: String, unclaimed: Int, remaining: Int, waitingRetries: Int = 0) {
            self.campaign = campaign
            self.app = app
            self.unclaimed = unclaimed
            self.remaining = remaining
            self.waitingRetries = waitingRetries
        }
    }

    /// Returns the size of a lane's window: `max(16, 2 × consumers × prefetch)`.
    public static func size(consumers: Int, prefetch: Int) -> Int {
        max(floor, 2 * consumers * prefetch)
    }

    /// Returns the free capacity of a lane: its window's size less what is out and unclaimed.
    public static func free(consumers: Int, prefetch: Int, unclaimed: Int) -> Int {
        max(0, size(consumers: consumers, prefetch: prefetch) - unclaimed)
    }

    /// Shares the free capacity by app first, then by campaign.
    ///
    /// So neither a large app, nor an app with many campaigns, nor a large campaign starves the others. Each shard goes
    /// to the app that has the fewest shards out and unclaimed, and there to the campaign with the fewest; equals are
    /// taken in order of app and campaign number. Campaigns without a shard are not in the result.
    public static func share(_ free: Int, among candidates: [Candidate]) -> [UInt32: Int] {
        var open = candidates.filter { $0.remaining > 0 && $0.waitingRetries <= waitingRetriesMax }
        var byApp: [String: Int] = [:]
        for candidate in candidates { byApp[candidate.app, default: 0] += candidate.unclaimed }
        var result: [UInt32: Int] = [:]
        for _ in 0..<max(0, free) {
            let next = open.indices.min { left, right in
                let (a, b) = (open[left], open[right])
                return (byApp[a.app, default: 0], a.app, a.unclaimed, a.campaign)
                    < (byApp[b.app, default: 0], b.app, b.unclaimed, b.campaign)
            }
            guard let next else { break }
            result[open[next].campaign, default: 0] += 1
            byApp[open[next].app, default: 0] += 1
            open[next].unclaimed += 1
            open[next].remaining -= 1
            if open[next].remaining == 0 { open.remove(at: next) }
        }
        return result
    }
}
