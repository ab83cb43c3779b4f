import Campaigns
import Delivery
import Logging
import Store

/// Removes what `store.retention.*` does not keep, in small steps with pauses, on one worker of the fleet.
///
/// Runs as one task. `Retention` decides what is old; every transaction checks that this worker is still the one.
struct Purger: Sendable {
    let worker: Int64
    let ledger: Ledger
    let retention: Retention
    let logger: Logger

    /// The error of a worker that is not the purging one.
    private struct NotMine: Error {}

    /// Counts of one pass.
    private struct Counters {
        var campaigns = 0
        var lists = 0
        var parked = 0
        var refusals = 0

        var isNothing: Bool { campaigns + lists + parked + refusals == 0 }
    }

    /// Purges until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                // The pause is jittered, so that workers that were started together do not run together.
                try await Task.sleep(for: jittered(retention.pause))
                try await pass()
            } catch is CancellationError {
                return
            } catch is NotMine {
                continue
            } catch {
                logger.error("the ledger does not let old rows be purged", metadata: ["error": "\(error)"])
            }
        }
    }

    private func pass() async throws {
        var counters = Counters()
        try await purgeCampaigns(&counters)
        try await purgeShards()
        try await purgeCharges()
        try await purgeTracking()
        let retention = retention
        counters.lists = try await repeated { try $0.purgeLists(retention, now: $1) }
        counters.parked = try await repeated { try $0.purgeParked(retention, now: $1) }
        counters.refusals = try await repeated { try $0.purgeRefusals(retention, now: $1) }
        _ = try await repeated { transaction, _ in try transaction.blankForgotten() }
        _ = try await repeated { try $0.purgeHistory(retention, now: $1) }
        _ = try await repeated { try $0.purgeAudit(retention, now: $1) }
        _ = try await repeated { try $0.purgeSentJobs(now: $1) }
        _ = try await repeated { try $0.purgeActivities(now: $1) }
        guard !counters.isNothing else { return }
        logger.info(
            "old rows are purged",
            metadata: [
                "campaigns": "\(counters.campaigns)", "lists": "\(counters.lists)", "parked": "\(counters.parked)",
                "refusals": "\(counters.refusals)",
            ]
        )
    }

    private func purgeCampaigns(_ counters: inout Counters) async throws {
        let retention = retention
        var after: UInt32? = 0
        while let from = after {
            let page = try await ledger.read {
                try $0.campaignsToPurge(retention, after: from, now: ledger.now())
            }
            for campaign in page.due {
                while try await step({ try $0.purge(campaign: campaign, retention, now: $1) }) {}
                counters.campaigns += 1
            }
            after = page.next
            if after != nil { try await rest() }
        }
    }

    private func purgeShards() async throws {
        var after: UInt32 = 0
        while true {
            let from = after
            guard let campaign = try await ledger.read({ try $0.forgottenCampaign(after: from) }) else { return }
            while try await step({ transaction, _ in try transaction.purgeShards(ofForgotten: campaign) }) {}
            after = campaign
        }
    }

    /// Removes the charges that are too old for any frequency cap to count.
    private func purgeCharges() async throws {
        var after: [UInt8]? = []
        while let from = after { after = try await step { try $0.purgeCharges(after: from, now: $1) } }
    }

    /// Removes the reports of single phones about campaigns that are long over.
    private func purgeTracking() async throws {
        let end = ledger.now().advanced(by: .zero - retention.tracking)
        var after: Int64 = -1
        while true {
            let from = after
            guard let campaign = try await ledger.read({ try $0.trackingToPurge(after: from, completedBefore: end) })
            else { return }
            while try await step({ transaction, _ in try transaction.purgeTracking(campaign: campaign) }) {}
            after = Int64(campaign)
        }
    }

    private func repeated(
        _ body: @escaping @Sendable (LedgerTransaction, Timestamp) throws -> Int
    ) async throws -> Int {
        var total = 0
        while true {
            let count = try await step(body)
            guard count > 0 else { return total }
            total += count
        }
    }

    /// Runs one short transaction, and a pause for other writers.
    private func step<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction, Timestamp) throws -> Value
    ) async throws -> Value {
        let worker = worker
        let value = try await ledger.write(.normal, priority: .withOthers) { transaction -> Value? in
            let now = ledger.now()
            guard ledger.standing.verdict != .lost, try transaction.reader.isPurger(worker, now: now) else {
                return nil
            }
            return try body(transaction, now)
        }
        guard let value else { throw NotMine() }
        try await rest()
        return value
    }

    private func rest() async throws {
        try await Task.sleep(for: jittered(.milliseconds(20)))
    }

    private func jittered(_ time: Duration) -> Duration {
        time * Double.random(in: 0.75...1.25)
    }
}
