import Campaigns
import Delivery
import Seeds
import Servers
import Store
import Synchronization
import Testing

/// Random sequences of operations by two processes; after each step every device of every campaign is accounted for.
@Suite(.fewLedgersAtOnce)
struct LawTests {
    @Test(arguments: 1...(FullSuite.isOn ? 12 : 4) as ClosedRange<UInt64>, TestDatabase.all)
    func `the law holds after every step, whatever the sequence`(seed: UInt64, database: TestDatabase) async throws {
        let scratch = ScratchLedger()
        let world = LedgerWorld(ledgers: [try scratch.open(on: database), try scratch.open()], seed: seed)
        try await world.begin()
        for step in 0..<150 {
            let what = try await world.step()
            try await world.check("seed \(seed), step \(step): \(what)")
        }
        try await world.finish()
        withExtendedLifetime(scratch) {}
    }
}

/// The state that the steps act on; confined to one test.
private final class LedgerWorld {
    private let ledgers: [Ledger]
    private var random: SeededRandom
    private var now = Timestamp.start
    private var campaigns: [UInt32] = []
    private var runs: [(token: RunToken, record: ShardRecord)] = []
    private var outcomes: [UInt32: Int] = [:]

    init(ledgers: [Ledger], seed: UInt64) {
        self.ledgers = ledgers
        random = SeededRandom(seed: seed)
    }

    private var ledger: Ledger { ledgers[random.below(ledgers.count)] }

    func begin() async throws {
        for index in 0..<3 {
            let sizes = (0..<4 + random.below(4)).map { _ in 1 + random.below(6) }
            let facts = Sample.facts(id: "campaign-\(index)", expiresAt: .start + 3600 * (1 + random.below(3)))
            let new = Sample.campaign(sizes, facts: facts, duplicates: random.below(3), firstToken: index * 20)
            campaigns.append(try await ledger.accepted(new))
        }
    }

    /// Performs a random operation; returns its name.
    func step() async throws -> String {
        let campaign = campaigns[random.below(campaigns.count)]
        let ledger = ledger
        let now = now
        switch random.below(20) {
        case 0...2:
            _ = try await ledger.planned(campaign, max: 1 + random.below(3), now: now)
            return "plan"
        case 3:
            let left = try await ledger.read { try $0.unpublished(olderThan: now + 1, now: now + 10_000, limit: 3) }
            try await ledger.write { transaction in
                try transaction.markOut(left.map { ($0.record.id.key, $0.record.generation) }, now: now)
            }
            return "confirm"
        case 4...8: return try await claim(campaign)
        case 9...10: return try await save()
        case 11...14: return try await end()
        case 15:
            _ = try await ledger.write { try $0.pause(campaign: campaign, now: now) }
            return "pause"
        case 16:
            _ = try await ledger.write { try $0.resume(campaign: campaign, now: now) }
            _ = try await ledger.write {
                try $0.releaseAside(campaign: campaign, knowsApp: true, limit: 3, now: now)
            }
            return "resume"
        case 17:
            let lost = try await ledger.read { try $0.lostShards(campaign: campaign, now: now, limit: 3) }
            _ = try await ledger.write { try $0.raiseGeneration(lost, now: now) }
            return "sweep"
        case 18:
            guard random.below(6) == 0 else { return try await claim(campaign) }
            _ = try await ledger.write(.synced) { try $0.cancel(campaign: campaign, now: now) }
            return "cancel"
        default:
            self.now = now + random.below(240)
            let later = self.now
            while try await ledger.write(.synced, { try $0.endDue(now: later).isMore }) {}
            _ = try await ledger.write { try $0.completeIfDone(campaign: campaign, now: later) }
            return "time"
        }
    }

    private func claim(_ campaign: UInt32) async throws -> String {
        let open = try await ledger.read { try $0.openShards(campaign: campaign) }
        guard !open.isEmpty else { return "nothing to claim" }
        let row = open[random.below(open.count)]
        let claim = Claim(
            key: row.id.key,
            generation: random.below(5) == 0 ? max(1, row.generation - 1) : row.generation,
            redelivered: random.below(3) == 0,
            worker: Int64(1 + random.below(3)),
            knowsApp: random.below(8) > 0
        )
        let now = now
        let result = try await ledger.write(scope: .shards) { try $0.claim(claim, now: now) }
        if result.decision == .run, let record = result.record {
            runs.append((RunToken(key: row.id.key, epoch: record.epoch, worker: claim.worker), record))
        }
        return "claim \(result.decision)"
    }

    private func save() async throws -> String {
        guard let index = runs.indices.randomElement(using: &random) else { return "nothing to save" }
        answer(&runs[index].record.progress, all: false)
        let (token, record) = runs[index]
        let fenced = try await ledger.write(scope: .shards) { try $0.saveProgress([(token, record.progress)]) }
        if !fenced.isEmpty { runs.remove(at: index) }
        return "save"
    }

    /// Ends a run in one of its ways; a stale run is refused.
    private func end() async throws -> String {
        guard let index = runs.indices.randomElement(using: &random) else { return "nothing to end" }
        let (token, old) = runs.remove(at: index)
        let now = now
        switch random.below(6) {
        case 0:
            let reason = [AsideReason.handOver, .app, .paused][random.below(3)]
            let progress = old.progress
            _ = try await ledger.write(.synced) {
                try $0.setAside(token, reason: reason, progress: progress, now: now)
            }
            return "set aside"
        case 1 where random.below(4) == 0:
            _ = try await ledger.write { try $0.parkShard(token, reason: "LawViolated", now: now) }
            return "park"
        default:
            var record = old
            answer(&record.progress, all: true)
            let settlement = try Settlement.of(record.progress, attempt: record.attempt)
            _ = try await ledger.write(.synced, scope: .shards) { try $0.settle(token, settlement, now: now) }
            return "settle"
        }
    }

    private func answer(_ progress: inout Progress, all: Bool) {
        for position in 0..<progress.count where progress.codes[position] == 0 && (all || random.below(2) == 0) {
            switch random.below(8) {
            case 0: progress.retry(position, .seconds5, Progress.Note(reason: "Shutdown"))
            case 1: progress.retry(position, .minutes2, Progress.Note(reason: "Busy", charged: false))
            case 2: progress.end(position, .invalid, Progress.Note(reason: "Unregistered", deadSince: now))
            case 3: progress.end(position, .failed, Progress.Note(reason: "BadPath", requests: 2))
            default: progress.accept(position)
            }
        }
    }

    func check(_ what: String) async throws {
        for campaign in campaigns {
            let status = try await ledger.status(campaign, now: now)
            #expect(status.law == .holds, "\(what)")
            let before = outcomes[campaign] ?? 0
            #expect(status.counts.total >= before, "an outcome was taken back: \(what)")
            outcomes[campaign] = status.counts.total
        }
    }

    /// Lets time run out, and compares the totals with a walk over the devices.
    func finish() async throws {
        now = now + 86_400
        let now = now
        while try await ledger.write(.synced, { try $0.endDue(now: now).isMore }) {}
        for campaign in campaigns {
            for row in try await ledger.read({ try $0.openShards(campaign: campaign) }) {
                let claim = Claim(
                    key: row.id.key,
                    generation: row.generation,
                    redelivered: true,
                    worker: 9,
                    knowsApp: true
                )
                _ = try await ledger.write(scope: .shards) { try $0.claim(claim, now: now) }
            }
            _ = try await ledger.write { try $0.completeIfDone(campaign: campaign, now: now) }
            let status = try await ledger.status(campaign, now: now)
            #expect(status.pending.total == 0)
            #expect(status.completedAt != nil)
            #expect(status.law == .holds)
            let walked = Mutex((counts: OutcomeCounts(), requests: 0))
            try await ledger.devices(campaign: campaign) { device in
                walked.withLock { walked in
                    if let outcome = device.outcome { walked.counts[outcome] += 1 }
                    walked.requests += device.requests
                }
            }
            var counts = status.counts
            counts.skipped -= status.reasons["Duplicate"] ?? 0
            #expect(walked.withLock { $0.counts } == counts)
            #expect(walked.withLock { $0.requests } == status.attempts)
        }
    }
}
