import Campaigns
import Delivery
import Store
import Testing

/// Repeated campaigns: each instant has one run, whoever makes it.
@Suite(.fewLedgersAtOnce) struct RepeatingTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    /// Accepts a campaign that repeats every hundred seconds.
    private func accepted(_ audience: NewCampaign.Audience = .registry) async throws -> UInt32 {
        var new = Sample.campaign(facts: Sample.facts(id: "daily", expiresAt: .distantFuture), identity: "daily")
        new.audience = audience
        new.repetition = NewRepetition(next: NextRun(at: .start + 100, madeAt: .start + 100))
        return try await ledger.accepted(new)
    }

    private func run(_ at: Int, _ audience: NewCampaign.Audience? = nil) -> NewCampaign {
        let id = Job.runID("daily", at: .start + at)
        var new = Sample.campaign([4, 2], facts: Sample.facts(id: id, expiresAt: .start + at + 50), identity: id)
        if let audience { new.audience = audience }
        return new
    }

    private func step(_ due: Int, next: Int?, _ audience: NewCampaign.Audience? = nil) -> RepeatStep {
        var step = RepeatStep(due: .start + due)
        step.run = (.start + due, run(due, audience))
        step.next = next.map { NextRun(at: .start + $0, madeAt: .start + $0) }
        return step
    }

    private func lease(_ parent: UInt32, worker: Int64 = 1, at seconds: Int) async throws -> LeasedCampaign {
        let leased = try await ledger.write {
            try $0.leaseCampaigns(worker: worker, apps: ["news"], now: .start + seconds)
        }
        return try #require(leased.first { $0.facts.number == parent })
    }

    private func take(
        _ step: RepeatStep,
        _ parent: UInt32,
        epoch: UInt32,
        worker: Int64 = 1,
        at seconds: Int
    ) async throws -> RepeatResult {
        try await ledger.write(.synced) {
            let lease = LeaseToken(campaign: parent, epoch: epoch, worker: worker)
            return try $0.takeStep(step, by: lease, now: .start + seconds)
        }
    }

    private func made(_ step: RepeatStep, _ parent: UInt32, at seconds: Int) async throws -> UInt32 {
        let epoch = try await lease(parent, at: seconds).leaseEpoch
        guard case .made(let number) = try await take(step, parent, epoch: epoch, at: seconds) else {
            throw LedgerError.failed("no run was made")
        }
        return number
    }

    private func sendAll(_ campaign: UInt32, at seconds: Int) async throws {
        for shard in try await ledger.planned(campaign, now: .start + seconds) {
            let (record, token) = try await ledger.running(shard.record.id.key, now: .start + seconds)
            let settlement = try Settlement.of(.accepted(record.count))
            _ = try await ledger.write(.synced) { try $0.settle(token, settlement, now: .start + seconds) }
        }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: campaign, now: .start + seconds) }
    }

    @Test(arguments: TestDatabase.all)
    func `what is set for it holds for its runs to come, and it has no end of its own`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let parent = try await accepted()
        let before = try await made(step(100, next: 200), parent, at: 100)
        _ = try await ledger.write(.synced) { transaction in
            _ = try transaction.setPace(campaign: parent, Pace(perSecond: 50), now: .start + 150)
            return try transaction.setUrgency(campaign: parent, .urgent, now: .start + 150)
        }
        let after = try await made(step(200, next: 300), parent, at: 200)
        let facts = try await ledger.read { try $0.campaigns([before, after]) }
        #expect(facts.map(\.pace) == [nil, Pace(perSecond: 50)])
        let lanes = try await ledger.read { reader in
            try [before, after].map { try reader.status(campaign: $0, now: .start + 200)?.lane.urgency }
        }
        #expect(lanes == [.bulk, .urgent])
        let end = try await ledger.write(.synced) {
            try $0.setEnd(campaign: parent, .at(.start + 900), storage: .seconds(9_000), now: .start + 200)
        }
        guard case .wrongEnd(_, .repeated) = end else {
            Issue.record("\(end)")
            return
        }
    }

    @Test(arguments: TestDatabase.all) func `it is scheduled and never sent itself`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let chunks = Sample.chunks([4, 2])
        let parent = try await accepted(.inline(chunks, version: "v", duplicates: 1))
        let leased = try await lease(parent, at: 0)
        #expect(leased.facts.isRepeated && leased.unplannedChunks == 0)
        #expect(!leased.facts.isRunDue(at: .start + 99) && leased.facts.isRunDue(at: .start + 100))
        #expect(try await ledger.planned(parent, now: .start + 200).isEmpty)
        _ = try await ledger.write(.synced) { try $0.endDue(now: .start + 1_000_000) }
        #expect(try await ledger.write(.synced) { try $0.completeIfDone(campaign: parent, now: .start + 200) } == nil)
        let status = try await ledger.status(parent)
        #expect(status.state == "scheduled" && status.audience == 0 && status.law == .holds)
        #expect(status.repetition?.nextAt == .start + 100 && status.repetition?.runs.isEmpty == true)
        #expect(try await ledger.read { try $0.deviceResults(campaign: parent, chunks: 0..<10) }.isEmpty)
    }

    @Test(arguments: TestDatabase.all) func `of two planners one makes the run, also when a lease has gone over`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let parent = try await accepted()
        let first = try await lease(parent, at: 99).leaseEpoch
        // The first worker freezes in the middle of its step, and the second takes over.
        let second = try await lease(parent, worker: 2, at: 110).leaseEpoch
        let one = try await take(step(100, next: 200), parent, epoch: second, worker: 2, at: 110)
        guard case .made(let run) = one else { throw LedgerError.failed("no run was made") }
        #expect(try await take(step(100, next: 200), parent, epoch: first, at: 110) == .fenced)
        #expect(try await take(step(100, next: 200), parent, epoch: second, worker: 2, at: 110) == .fenced)
        let status = try await ledger.status(parent)
        #expect(status.repetition?.runs.map(\.id) == [Job.runID("daily", at: .start + 100)])
        #expect(status.repetition?.nextAt == .start + 200)
        #expect(try await ledger.status(run).runOf == "daily")
        #expect(try await ledger.status(run).audience == 6)
    }

    @Test(arguments: TestDatabase.all) func `its runs are sent, and with the last of them it is completed`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let parent = try await accepted()
        let first = try await made(step(100, next: 200), parent, at: 100)
        try await sendAll(first, at: 101)
        #expect(try await ledger.status(first).state == "completed")
        let last = try await made(step(200, next: nil), parent, at: 200)
        func complete() async throws {
            _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: parent, now: .start + 210) }
        }
        try await complete()
        #expect(try await ledger.status(parent).state == "scheduled")
        try await sendAll(last, at: 201)
        try await complete()
        let status = try await ledger.status(parent)
        #expect(status.state == "completed" && status.repetition?.runs.map(\.state) == ["completed", "completed"])
        #expect(status.repetition?.runs.map(\.audience) == [6, 6] && status.law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `while it is paused runs pass, and those that have begun go on`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let parent = try await accepted()
        let running = try await made(step(100, next: 200), parent, at: 100)
        _ = try await ledger.write(.synced) { try $0.pause(campaign: parent, now: .start + 110) }
        #expect(try await ledger.status(parent).state == "paused")
        let epoch = try await lease(parent, at: 200).leaseEpoch
        #expect(try await take(step(200, next: 300), parent, epoch: epoch, at: 200) == .passed)
        try await sendAll(running, at: 120)
        #expect(try await ledger.status(running).counts.accepted == 6)
        _ = try await ledger.write(.synced) { try $0.resume(campaign: parent, now: .start + 210) }
        let status = try await ledger.status(parent)
        #expect(status.repetition?.runs.count == 1 && status.repetition?.nextAt == .start + 300)
        #expect(status.repetition?.missedAt == .start + 200 && status.repetition?.missedWhy == "paused")
        _ = try await made(step(300, next: 400), parent, at: 300)
        #expect(try await ledger.status(parent).repetition?.runs.count == 2)
    }

    @Test(arguments: TestDatabase.all) func `cancelled, it ends with what of its runs has not begun`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let parent = try await accepted()
        let begun = try await made(step(100, next: 200), parent, at: 100)
        _ = try await ledger.planned(begun, max: 1, now: .start + 101)
        let waiting = try await made(step(200, next: 300), parent, at: 200)
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: parent, now: .start + 202) }
        #expect(try await ledger.status(waiting).counts.cancelled == 6)
        #expect(try await ledger.status(begun).counts.cancelled == 0)
        var status = try await ledger.status(parent)
        #expect(status.state == "cancelled" && status.completedAt == nil && status.repetition?.nextAt == nil)
        let epoch = try await lease(parent, at: 300).leaseEpoch
        #expect(try await take(step(300, next: 400), parent, epoch: epoch, at: 300) == .fenced)
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: begun, now: .start + 301) }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: parent, now: .start + 302) }
        status = try await ledger.status(parent)
        #expect(status.state == "cancelled" && status.completedAt != nil)
        // A run can be cancelled alone, and its parent goes on.
        #expect(try await ledger.status(begun).state == "cancelled")
    }

    @Test(arguments: TestDatabase.all) func `the list of its inline devices is there for every run`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let parent = try await accepted(.inline(Sample.chunks([4, 2]), version: "v", duplicates: 0))
        let repeated = try #require(try await ledger.read { try $0.repeatedCampaign(parent) })
        let list = try #require(repeated.list)
        #expect(repeated.due == .start + 100 && repeated.listVersion == "v" && repeated.restoredAt == nil)
        let first = try await made(step(100, next: 200, .list(list)), parent, at: 100)
        try await sendAll(first, at: 101)
        // Retention removes the run, not the devices.
        let retention = Retention(campaigns: .zero, outcomes: .zero, lists: .zero, parked: .zero)
        _ = try await ledger.write(.synced) { try $0.purge(campaign: first, retention, now: .start + 150) }
        #expect(try await ledger.read { try $0.campaign(first) } == nil)
        #expect(try await ledger.read { try $0.list(number: list) } != nil)
        let second = try await made(step(200, next: nil, .list(list)), parent, at: 200)
        try await sendAll(second, at: 201)
        #expect(try await ledger.status(second).counts.accepted == 6)
        #expect(try await ledger.status(parent).repetition?.runs.count == 1)
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: parent, now: .start + 202) }
        for campaign in [second, parent] {
            _ = try await ledger.write(.synced) { try $0.purge(campaign: campaign, retention, now: .start + 250) }
        }
        #expect(try await ledger.read { try $0.list(number: list) } == nil)
        #expect(try await ledger.read { try $0.repeatedCampaign(parent) } == nil)
    }
}
