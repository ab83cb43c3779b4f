public import Campaigns
public import PushProviders

/// A campaign's rows that wait for turns under the same limits: a provider's with a quota, or all others.
public struct TurnQueue: Sendable, Equatable {
    /// The shares that the rows belong to.
    public let shares: [CampaignFacts]
    /// The quota of their provider; nil if it has none.
    public let quota: ProviderQuota?
    /// The quota's line; nil without a quota.
    public internal(set) var line: PaceLine?
    /// The rows that may have a turn, the first one first.
    var waiting: ArraySlice<ShardRecord> = []
    /// The number of devices in the queue.
    var devices = 1
    /// The fraction of its devices that has had a turn: all queues of a rate advance alike.
    var taken = 0.0

    /// A queue's progress, as the ledger counts it.
    public struct Progress: Sendable, Equatable {
        /// The number of its devices.
        public var devices: Int
        /// The number of its chunks.
        public var chunks: Int
        /// The number of chunks that are cut.
        public var cut: Int
        /// The number of devices of first attempts that are cut and wait for a turn.
        public var waiting: Int

        /// Counts.
        public init(devices: Int, chunks: Int, cut: Int, waiting: Int) {
            self.devices = devices
            self.chunks = chunks
            self.cut = cut
            self.waiting = waiting
        }
    }

    /// The providers of the shares; nil in a campaign of one provider.
    public var providers: Set<ProviderName>? {
        shares.first?.hasShares == true ? Set(shares.compactMap(\.share)) : nil
    }

    mutating func count(_ progress: Progress) {
        devices = max(1, progress.devices)
        let cut = Double(progress.cut) / Double(max(1, progress.chunks))
        taken = cut - Double(progress.waiting) / Double(devices)
    }

    /// The queues of a campaign's shares; shares without any limit get none.
    ///
    /// - Parameters:
    ///   - shares: The shares that may be sent to now.
    ///   - quotas: The quotas by provider; in a campaign of one provider, only that provider's.
    ///   - hasRate: True if the campaign or its app has a rate.
    static func queues(
        _ shares: [CampaignFacts],
        _ quotas: [ProviderName: ProviderQuota],
        hasRate: Bool
    ) -> [TurnQueue] {
        func quota(_ share: CampaignFacts) -> ProviderQuota? {
            guard let provider = share.share else { return quotas.values.first }
            return quotas[provider]
        }
        let free = shares.filter { quota($0) == nil }
        let limited = shares.compactMap { share in quota(share).map { TurnQueue(shares: [share], quota: $0) } }
        return (hasRate && !free.isEmpty ? [TurnQueue(shares: free, quota: nil)] : []) + limited
    }

    /// The index of the queue whose row has the next turn; nil if all are empty.
    ///
    /// Due retries come before new shards, in each queue's order. For new shards the next queue is the one with the
    /// smallest fraction that has had a turn, so that no provider waits for another.
    static func next(_ queues: [TurnQueue]) -> Int? {
        queues.indices.filter { !queues[$0].waiting.isEmpty }.min { left, right in
            guard let a = queues[left].waiting.first, let b = queues[right].waiting.first else { return false }
            switch (a.dueAt, b.dueAt) {
            case (let a?, let b?) where a != b: return a < b
            case (.some, nil): return true
            case (nil, .some): return false
            case (.some, .some), (nil, nil): return queues[left].taken < queues[right].taken
            }
        }
    }
}
