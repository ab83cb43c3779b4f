import Campaigns
import Delivery
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct GuardTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    /// Runs a shard to its end: the last `suspects` of its devices have suspect tokens, the others are accepted.
    private func run(_ key: ShardKey, generation: UInt32 = 1, suspects: Int, now: Timestamp = .start) async throws {
        try await settle(try await ledger.running(key, generation: generation, now: now), suspects: suspects, now: now)
    }

    private func settle(
        _ claimed: (record: ShardRecord, token: RunToken),
        suspects: Int,
        now: Timestamp = .start
    ) async throws {
        let (record, token) = claimed
        var progress = record.progress
        progress.resendHeld()  // as at the begin of a run
        for position in 0..<record.count where progress.codes[position] == 0 {
            if position < record.count - suspects {
                progress.accept(position)
            } else {
                progress.hold(position, Progress.Note(reason: "BadDeviceToken"))
            }
        }
        let settlement = try Settlement.of(progress, attempt: record.attempt)
        guard case .settled = try await ledger.write(.synced, { try $0.settle(token, settlement, now: now) }) else {
            throw LedgerError.failed("not settled")
        }
    }

    private func complete(_ campaign: UInt32, now: Timestamp = .start) async throws -> CampaignStage? {
        try await ledger.write(.synced) { try $0.completeIfDone(campaign: campaign, now: now) }
    }

    @Test(arguments: TestDatabase.all)
    func `wrong tokens are pending until two hundred answers are there, and invalid then`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([100, 100, 50]))
        _ = try await ledger.planned(number)
        try await run(key(number, 0), suspects: 30)
        let early = try await ledger.status(number)
        #expect(early.counts.accepted == 70 && early.counts.invalid == 0)
        #expect(early.pending.held == 30)
        #expect(early.attempts == 100)
        #expect(early.reasons.isEmpty)
        #expect(early.law == .holds)

        try await run(key(number, 1), suspects: 20)
        let passed = try await ledger.status(number)
        #expect(passed.counts.invalid == 50)
        #expect(passed.reasons["BadDeviceToken"] == 50)
        #expect(passed.attempts == 200)
        #expect(passed.state == "sending")
        // From now on they are believed at once, even if all are suspect.
        try await run(key(number, 2), suspects: 50)
        #expect(try await ledger.status(number).counts.invalid == 100)
        #expect(try await complete(number) == .completed)
        #expect(try await ledger.status(number).law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `more than half of them pause the campaign, and after resume each is sent to again`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([150, 150, 100]))
        _ = try await ledger.planned(number)
        let straggler = try await ledger.running(key(number, 2))
        try await run(key(number, 0), suspects: 140)
        try await run(key(number, 1), suspects: 140)
        let paused = try await ledger.status(number)
        #expect(paused.state == "paused")
        #expect(paused.stateReason == "wrong_environment")
        #expect(paused.counts.invalid == 0)
        #expect(paused.pending.held == 280)
        #expect(paused.law == .holds)
        // A straggler's answers are not believed either.
        try await settle(straggler, suspects: 100)
        #expect(try await complete(number) == nil)
        #expect(try await ledger.status(number).pending.held == 380)

        _ = try await ledger.write(.synced) { try $0.resume(campaign: number, reason: .wrongEnvironment, now: .start) }
        let released = try await ledger.write(.synced) {
            try $0.releaseAside(campaign: number, knowsApp: true, limit: 99, now: .start)
        }
        #expect(released.map(\.record.count) == [140, 140, 100])
        #expect(released.allSatisfy { $0.record.attempt == 1 })
        for shard in released {
            try await run(shard.record.id.key, generation: shard.record.generation, suspects: 0)
        }
        #expect(try await complete(number) == .completed)
        let status = try await ledger.status(number)
        #expect(status.counts.accepted == 400)
        #expect(status.attempts == 780)
        #expect(status.law == .holds)
    }

    /// Sends again to all waiting shards of the campaign; the last `suspects` of each are suspect.
    private func resume(_ number: UInt32, suspects: Int) async throws {
        #expect(try await ledger.status(number).stateReason == "wrong_environment")
        _ = try await ledger.write(.synced) { try $0.resume(campaign: number, reason: .wrongEnvironment, now: .start) }
        let released = try await ledger.write(.synced) {
            try $0.releaseAside(campaign: number, knowsApp: true, limit: 99, now: .start)
        }
        try #require(!released.isEmpty)
        for shard in released {
            try await run(shard.record.id.key, generation: shard.record.generation, suspects: suspects)
        }
    }

    @Test(arguments: TestDatabase.all)
    func `resumed without a change it pauses once more, and then the tokens are believed to be dead`(
        _ database: TestDatabase
    )
        async throws
    {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([200, 100]))
        _ = try await ledger.planned(number)
        try await run(key(number, 0), suspects: 200)
        try await resume(number, suspects: 200)
        let again = try await ledger.status(number)
        #expect(again.counts.invalid == 0)
        #expect(again.pending.held == 200)
        #expect(again.law == .holds)

        try await resume(number, suspects: 200)
        #expect(try await ledger.status(number).counts.invalid == 200)
        // Permanently: the rest is no longer guarded.
        try await run(key(number, 1), suspects: 100)
        #expect(try await complete(number) == .completed)
        let status = try await ledger.status(number)
        #expect(status.counts.invalid == 300)
        #expect(status.attempts == 700)
        #expect(status.law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `what is left of a campaign after a trip is judged by itself, and fixed tokens are accepted`(
        _ database: TestDatabase
    )
        async throws
    {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([100, 150]))
        _ = try await ledger.planned(number)
        try await run(key(number, 0), suspects: 0)
        try await run(key(number, 1), suspects: 150)
        // Only the suspect devices are left; a few of them are suspect again.
        try await resume(number, suspects: 12)
        #expect(try await complete(number) == .completed)
        let status = try await ledger.status(number)
        #expect(status.counts.accepted == 238)
        #expect(status.counts.invalid == 12)
        #expect(status.law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `what would be held back of a run that outlives its campaign ends with it`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([20]))
        _ = try await ledger.planned(number)
        let running = try await ledger.running(key(number, 0))
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: number, now: .start) }
        try await settle(running, suspects: 5)
        #expect(try await complete(number) == .cancelled)
        let status = try await ledger.status(number)
        #expect(status.counts.cancelled == 5)
        #expect(status.counts.accepted == 15)
        #expect(status.pending.total == 0)
        #expect(status.law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `a small campaign is judged at its end`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let few = try await ledger.accepted(Sample.campaign([20]))
        _ = try await ledger.planned(few)
        try await run(key(few, 0), suspects: 5)
        #expect(try await ledger.status(few).pending.held == 5)
        #expect(try await complete(few) == .completed)
        #expect(try await ledger.status(few).counts.invalid == 5)

        let most = try await ledger.accepted(Sample.campaign([20], facts: Sample.facts(id: "most"), firstToken: 100))
        _ = try await ledger.planned(most)
        try await run(key(most, 0), suspects: 15)
        #expect(try await complete(most) == nil)
        #expect(try await ledger.status(most).stateReason == "wrong_environment")
    }

    @Test(arguments: TestDatabase.all) func `what is held back ends with its campaign`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([20, 20]))
        _ = try await ledger.planned(number)
        try await run(key(number, 0), suspects: 5)
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: number, now: .start) }
        let status = try await ledger.status(number)
        #expect(status.counts.cancelled == 25)
        #expect(status.pending.total == 0)
        #expect(status.law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `no more than two thousand devices are out until it has decided`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign(Array(repeating: 500, count: 6)))
        #expect(try await ledger.planned(number).count == 4)
        #expect(try await ledger.planned(number).isEmpty)
        try await run(key(number, 0), suspects: 100)
        #expect(try await ledger.planned(number).count == 2)
    }
}
