import Campaigns
import Delivery
import Logging
import Store
import Transport

/// What is published again because nobody else will, and what is computed or dropped in time.
extension Planner {
    func publishLeft(_ campaign: UInt32?, _ age: Duration) async throws {
        let now = ledger.now()
        let before = now.advanced(by: .zero - age)
        let left = try await ledger.read {
            try $0.unpublished(olderThan: before, campaign: campaign, now: now, limit: 100)
        }
        guard !left.isEmpty else { return }
        logger.notice("shards without a confirm are published again", metadata: ["count": "\(left.count)"])
        await outlet.publish(left)
    }

    func sweepLists() async throws {
        try await ledger.write(.normal) { transaction in
            let now = ledger.now()
            _ = try transaction.sweepLists(now: now)
            _ = try transaction.learnDeadTokens()
            try transaction.dropOldEvents(now: now)
        }
    }

    /// Computes the quiet hours of campaigns further, before they are needed.
    func extendQuiet() async throws {
        let now = ledger.now()
        let parts = try await ledger.read { try $0.quietToExtend(now: now) }
        guard !parts.isEmpty else { return }
        let until = now.advanced(by: QuietHours.knownAhead)
        let known = parts.map { part in
            let zone = part.rule.timeZone.flatMap { ZoneFiles.rules($0) } ?? .utc
            return (part: part, windows: part.rule.hours.windows(from: now, to: until, in: zone), until: until)
        }
        try await ledger.write(.normal) { try $0.extendQuiet(known, now: now) }
    }

    /// Shards whose messages the broker has lost: their lane is empty, or has moved past them.
    func republishLost(_ lease: LeasedCampaign) async throws {
        let (campaign, share) = (lease.facts.number, lease.facts.share)
        let candidates = try await ledger.read {
            try $0.lostShards(
                campaign: campaign,
                share: share,
                patience: Sweep.lostAfter,
                now: ledger.now(),
                limit: 100
            )
        }
        guard !candidates.isEmpty else { return }
        let lane = await look(at: lease.lane)
        let now = ledger.now()
        let lost = try await ledger.read { reader in
            try candidates.filter { shard in
                // The ledger gives rows that nothing has happened to for the whole patience.
                let since = shard.dueAt ?? now.advanced(by: .zero - Sweep.lostAfter)
                let owner = try reader.owner(of: shard, now: now)
                return Sweep.action(
                    for: shard,
                    outboxWrittenAt: nil,
                    since: since,
                    lane: lane,
                    owner: owner,
                    now: now
                ) == .publishAnew
            }
        }
        guard !lost.isEmpty else { return }
        logger.warning("shards without a message are published anew", metadata: ["count": "\(lost.count)"])
        let shards = try await ledger.write(.synced) { try $0.raiseGeneration(lost, now: ledger.now()) }
        await outlet.publish(shards)
    }

    private func look(at lane: Lane) async -> Sweep.LaneLook {
        do {
            let client = try await AMQPClient.connect(endpoint, name: "fanfare sweep", on: loop)
            let counts = try await client.counts(of: BrokerNames.workQueue(lane))
            await client.close()
            if counts?.ready == 0 { return .empty }
            let published = try await ledger.read { try $0.lastClaimedPublish(of: lane) }
            return published.map { .movedPast($0) } ?? .unknown
        } catch {
            return .unknown  // so nothing is published anew
        }
    }
}
