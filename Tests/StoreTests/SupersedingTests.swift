import Campaigns
import Delivery
import Store
import Testing

/// Collapsing in the queue.
struct SupersedingTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    /// Accepts a campaign with a key; `at` is the producer's instant in seconds.
    private func score(
        _ id: String,
        at seconds: Int,
        key: String? = "score",
        release: NewCampaign.Release = NewCampaign.Release(),
        now: Timestamp = .start
    ) async throws -> UInt32 {
        var new = Sample.campaign(Array(repeating: 2, count: 4), facts: Sample.facts(id: id), release: release)
        new.createdAt = .start + seconds
        new.collapseKey = key.map { Array($0.utf8) }
        return try await ledger.accepted(new, now: now)
    }

    private func release(_ campaign: UInt32, now: Timestamp = .start) async throws -> ReleaseResult {
        try await ledger.write(.synced) { try $0.release(campaign: campaign, shared: now, now: now).result }
    }

    private func settle(_ token: RunToken, _ progress: Progress) async throws {
        let settlement = try Settlement.of(progress)
        _ = try await ledger.write(.synced, scope: .shards) { try $0.settle(token, settlement, now: .start) }
    }

    @Test(arguments: TestDatabase.all) func `a newer one takes the older one's place when nobody runs it`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let old = try await score("1:0", at: 0)
        #expect(try await ledger.planned(old).isEmpty)
        #expect(try await release(old) == .released)
        #expect(try await ledger.planned(old, max: 2).count == 2)
        let (_, token) = try await ledger.running(key(old, 0))
        try await settle(token, .accepted(2) { $0.retry(1, .minutes10, Progress.Note(reason: "Shutdown")) })

        let new = try await score("2:0", at: 1)
        #expect(try await ledger.status(old).state == "sending")
        #expect(try await release(new) == .released)
        let status = try await ledger.status(old)
        #expect(status.state == "completed" && status.supersededBy == "2:0" && status.law == .holds)
        #expect(status.counts.accepted == 1 && status.counts.superseded == 7)
        #expect(try await ledger.planned(new).count == 4)
        #expect(try await ledger.status(new).supersededBy == nil)
    }

    @Test(arguments: TestDatabase.all)
    func `it waits for every run of the older one to stop, or for the end of patience`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let old = try await score("1:0", at: 0)
        _ = try await release(old)
        _ = try await ledger.planned(old)
        let (_, stopping) = try await ledger.running(key(old, 0))
        let (_, frozen) = try await ledger.running(key(old, 1), worker: 8)
        let new = try await score("2:0", at: 1)
        #expect(try await release(new) == .waits)
        #expect(try await ledger.planned(new).isEmpty)
        // No claim of the older one is granted any more, not even for a message that came back.
        let late = Claim(key: key(old, 1), generation: 1, redelivered: true, worker: 9, knowsApp: true)
        let other = Claim(key: key(old, 2), generation: 1, redelivered: false, worker: 9, knowsApp: true)
        #expect(try await ledger.write { try $0.claim(other, now: .start) }.decision == .settledAlready)

        try await ledger.write { try $0.markStopped([stopping]) }
        #expect(try await release(new) == .waits)
        // Nothing is known of a run that was adopted since.
        var earlier = frozen
        earlier.epoch -= 1
        let mark = earlier
        try await ledger.write { try $0.markStopped([mark]) }
        #expect(try await release(new, now: .start + 14) == .waits)
        #expect(try await release(new, now: .start + 15) == .released)
        #expect(try await ledger.planned(new, now: .start + 15).count == 4)

        #expect(try await ledger.write { try $0.claim(late, now: .start + 15) }.decision == .end(.superseded))
        // Answers that came meanwhile count.
        try await settle(stopping, .accepted(2) { $0.retry(1, .seconds5, Progress.Note(reason: "Shutdown")) })
        #expect(try await ledger.write { try $0.completeIfDone(campaign: old, now: .start + 16) } == .completed)
        let status = try await ledger.status(old)
        #expect(status.counts.accepted == 1 && status.counts.superseded == 7 && status.law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `what is older on acceptance is superseded at once`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let new = try await score("2:0", at: 1)
        let early = try await score("0:0", at: 0)
        #expect(try await ledger.status(early).supersededBy == nil)
        _ = try await release(new)
        #expect(try await ledger.status(early).supersededBy == "2:0")
        let late = try await score("1:0", at: 0)
        let status = try await ledger.status(late)
        #expect(status.supersededBy == "2:0" && status.state == "completed" && status.counts.superseded == 8)
        #expect(try await release(late) == .notDue)
        // Of equal instants, the later acceptance is the newer.
        let equal = try await score("3:0", at: 1)
        #expect(try await ledger.status(equal).supersededBy == nil)
        #expect(try await release(equal) == .released)
        #expect(try await ledger.status(new).supersededBy == "3:0")
    }

    @Test(arguments: TestDatabase.all) func `it takes effect when the newer one is released, not before`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let old = try await score("1:0", at: 0)
        let scheduled = try await score("2:0", at: 1, release: NewCampaign.Release(sendAt: .start + 10))
        let held = try await score("3:0", at: 2, release: NewCampaign.Release(isHeld: true))
        #expect(try await release(scheduled, now: .start + 9) == .notDue)
        #expect(try await release(held, now: .start + 9) == .notDue)
        #expect(try await ledger.status(old).supersededBy == nil)
        #expect(try await release(scheduled, now: .start + 10) == .released)
        #expect(try await ledger.status(old).supersededBy == "2:0")
        _ = try await ledger.write(.synced) { try $0.fire(campaign: held, now: .start + 11) }
        #expect(try await ledger.status(scheduled).supersededBy == "3:0")
    }

    @Test(arguments: TestDatabase.all) func `without a key, or of another, nothing is superseded`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let old = try await score("1:0", at: 0)
        let apart = try await score("2:0", at: 1, key: nil)
        let other = try await score("3:0", at: 2, key: "weather")
        #expect(try await ledger.planned(apart).count == 4)
        #expect(try await release(other) == .released)
        #expect(try await ledger.status(old).supersededBy == nil)
    }

    @Test(arguments: TestDatabase.all)
    func `of three, the last supersedes both, and waits for what the first still runs`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let first = try await score("1:0", at: 0)
        _ = try await release(first)
        _ = try await ledger.planned(first)
        let (_, token) = try await ledger.running(key(first, 0))
        let second = try await score("2:0", at: 1)
        #expect(try await release(second) == .waits)
        let third = try await score("3:0", at: 2)
        #expect(try await release(third) == .waits)
        #expect(try await ledger.status(second).state == "completed")
        #expect(try await release(second) == .notDue)
        try await ledger.write { try $0.markStopped([token]) }
        #expect(try await release(third) == .released)
    }
}
