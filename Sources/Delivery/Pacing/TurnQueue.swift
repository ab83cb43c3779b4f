public import Campaigns
public import PushProviders

/// The rows of a campaign that wait for turns under the same limits: the devices of a provider with a quota, or all others.
public struct TurnQueue: Sendable, Equatable {
    /// The shares whose rows these are.
    public let shares: [CampaignFacts]
    /// The quota of their provider; nil when it has none.
    public let quota: ProviderQuota?
    /// What the quota has given away; nil without one.
    public internal(set) var line: PaceLine?
    /// Rows that may have a turn, the first one first.
    var waiting: ArraySlice<ShardRecord> = []
    /// How many devices it is of.
    var devices = 1
    /// The share of its devices that has had a turn: all queues of a rate go on alike.
    var taken = 0.0

    /// How far a queue has come, as the ledger counts it.
    public struct Progress: Sendable, Equatable {
        /// Its devices.
        public var devices: Int
        /// Its chunks.
        public var chunks: Int
        /// Those of them that are cut.
        public var cut: Int
        /// Devices of first attempts that are cut and wait for a turn.
        public var waiting: Int

        /// Counts.
        public init(devices: Int, chunks: Int, cut: Int, waiting: Int) {
            self.devices = devices
            self.chunks = chunks
            self.cut = cut
            self.waiting = waiting
        }
    }

    init(shares: [CampaignFacts], quota: ProviderQuota?) {
        self.shares = shares
        self.quota = quota
    }

    /// Their providers; nil in a campaign of one.
    public var providers: Set<ProviderName>? {
        shares.first?.hasShares == true ? Set(shares.compactMap(\.share)) : nil
    }

    mutating func count(_ progress: Progress) {
        devices = max(1, progress.devices)
        let cut = Double(progress.cut) / Double(max(1, progress.chunks))
        taken = cut - Double(progress.waiting) / Double(devices)
    }

    /// The queues of a campaign's shares; none for shares that nothing limits.
    ///
    /// - Parameters:
    ///   - shares: Those that may be sent to now.
    ///   - quotas: The quotas by provider; of a campaign of one provider no other's.
    ///   - hasRate: Whether the campaign or its app has a rate.
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

    /// The place of the queue whose row has the next turn; nil when all are empty.
    ///
    /// Retries that are due come before new shards, as each queue has them; of new shards the queue is next of which least
    /// has had a turn, so that no provider waits for another.
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
