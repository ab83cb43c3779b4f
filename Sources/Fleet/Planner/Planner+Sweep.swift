import Campaigns
import Delivery
import Logging
import Operations
import Store

/// The sweep: publishes shards again that nobody else will, and computes or drops what is due.
extension Planner {
    func publishLeft(_ campaign: UInt32?, _ age: Duration) async throws {
        let now = ledger.now()
        let before = now.advanced(by: .zero - age)
        let left = try await ledger.read {
            try $0.unpublished(olderThan: before, campaign: campaign, now: now, limit: 100)
        }
        guard !left.isEmpty else { return }
        logger.notice("shards without a confirm are published again", metadata: ["count": "\(left.count)"])
        await dispatcher.publish(left)
    }

    func sweepLists() async throws {
        // Nothing of it is published, and the next sweep does again what is lost.
        try await ledger.write(.normal) { transaction in
            let now = ledger.now()
            _ = try transaction.sweepLists(now: now)
            try transaction.settleUploadWaits(now: now)
            _ = try transaction.learnDeadTokens()
            try transaction.dropOldEvents(now: now)
        }
    }

    /// Extends the computed quiet hours of campaigns before they are needed.
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

    /// Publishes shards whose messages are lost again, with a higher generation.
    func republishLost(_ lease: LeasedCampaign) async throws {
        let lost = try await lostShards.find(lease)
        guard !lost.isEmpty else { return }
        logger.warning("shards without a message are published anew", metadata: ["count": "\(lost.count)"])
        await dispatcher.publish(
            try await ledger.write(.synced) { try $0.raiseGeneration(lost, now: ledger.now()) }
        )
    }
}
