import Campaigns
import Delivery
import PushProviders

/// What of a campaign waits for turns under the same limits: the devices of a provider with a quota, or all others.
struct TurnQueue {
    /// The shares whose rows these are.
    let shares: [CampaignFacts]
    /// The quota of their provider; nil when it has none.
    let quota: ProviderQuota?
    /// What the quota has given away.
    var line: PaceLine?
    /// Rows that may have a turn, the first one first.
    var rows: ArraySlice<ShardRecord> = []
    /// How many devices they are of, and below which share of these has had a turn: all queues of a rate go on alike.
    var devices = 1
    var taken = 0.0

    /// Their providers; nil in a campaign of one.
    var providers: Set<ProviderName>? { shares.first?.hasShares == true ? Set(shares.compactMap(\.share)) : nil }

    /// The limits of each of their slots, those of the campaign and the app first.
    func paces(_ common: [Pace]) -> [Pace] { common + (quota.map { [Pace($0)] } ?? []) }

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
            share.share.map { quotas[$0] } ?? quotas.values.first
        }
        let free = shares.filter { quota($0) == nil }
        let limited = shares.compactMap { share in quota(share).map { TurnQueue(shares: [share], quota: $0) } }
        return (hasRate && !free.isEmpty ? [TurnQueue(shares: free, quota: nil)] : []) + limited
    }

    /// Which queue has the row whose turn it is; nil when all are empty.
    ///
    /// Retries that are due come before new shards, as `LedgerReader.waitingForTurn` has them in each; of these the queue
    /// is next of which least has had a turn, so that no provider waits for another.
    static func next(_ queues: [TurnQueue]) -> Int? {
        queues.indices.filter { !queues[$0].rows.isEmpty }.min { left, right in
            guard let a = queues[left].rows.first, let b = queues[right].rows.first else { return false }
            switch (a.dueAt, b.dueAt) {
            case (let a?, let b?) where a != b: return a < b
            case (.some, nil): return true
            case (nil, .some): return false
            case (.some, .some), (nil, nil): return queues[left].taken < queues[right].taken
            }
        }
    }
}

extension LedgerReader {
    /// How many devices a queue is of, and which share of them has had a turn; of a campaign of several providers.
    func progress(
        of queue: TurnQueue,
        _ campaign: CampaignFacts,
        now: Timestamp
    ) throws(LedgerError) -> (devices: Int, taken: Double) {
        guard let providers = queue.providers else { return (1, 0) }
        let names = ShareRows.list(providers)
        let rows = try db.rows(
            """
            SELECT coalesce(sum(p.cursor - p.first_chunk), 0), coalesce(sum(p.end_chunk - p.first_chunk), 0), (
                SELECT coalesce(sum(v.devices), 0) FROM campaign_providers v
                WHERE v.campaign = ?1 AND v.provider IN (\(names))
            )
            FROM parts p WHERE p.campaign = ?1 AND p.provider IN (\(names))
            """,
            .int(campaign.number)
        )
        guard try rows.next() else { return (1, 0) }
        let (devices, cut) = (max(1, rows.int(2)), Double(rows.int(0)) / Double(max(1, rows.int(1))))
        let waiting = try devicesWaitingForTurn(campaign, of: providers, now: now)
        return (devices, cut - Double(waiting) / Double(devices))
    }
}
