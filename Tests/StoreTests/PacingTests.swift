import Campaigns
import Delivery
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct PacingTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func turns(
        _ campaign: UInt32,
        app: Pace? = nil,
        worker: Int64 = 1,
        now: Timestamp = .start
    ) async throws -> PacedStep {
        try await ledger.write { transaction in
            let leased = try transaction.leaseCampaigns(worker: worker, apps: ["news"], now: now)
            guard let lease = leased.first(where: { $0.facts.number == campaign }) else {
                return PacedStep(isFenced: true)
            }
            return try transaction.givePacedTurns(lease.token, appPace: app, now: now)
        }
    }

    private func paced(_ sizes: [Int], perSecond: Int) -> NewCampaign {
        var new = Sample.campaign(sizes)
        new.pace = Pace(perSecond: perSecond)
        return new
    }

    @Test(arguments: TestDatabase.all)
    func `a campaign's shards get slots one after the other, and every device exactly one`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(paced([30, 30, 30], perSecond: 40))
        var shards: [ShardToPublish] = []
        var now = Timestamp.start
        for _ in 0..<60 {
            let step = try await turns(number, now: now)
            shards += step.shards
            let status = try await ledger.status(number, now: now)
            #expect(status.law == .holds)
            #expect(status.pending.held == 0)
            now = now.advanced(by: .milliseconds(100))
        }
        #expect(shards.allSatisfy { $0.record.count <= 10 && $0.record.state == .unpublished })
        let slots = shards.compactMap(\.record.slot)
        #expect(slots.count == shards.count)
        #expect(zip(slots, slots.dropFirst()).allSatisfy { $0.begins + $0.length <= $1.begins })
        var devices: [UInt32] = []
        for shard in shards {
            let message = try Shard(encoded: shard.body())
            #expect(message.slot == shard.record.slot)
            for position in 0..<message.devices.count { devices.append(message.deviceIndex(at: position)) }
        }
        #expect(devices.sorted() == Array(0..<90))
        #expect(try await ledger.status(number, now: now).pending.queued == 90)
        // They wait for turns: the window of campaigns without a rate does not apply to them.
        #expect(try await ledger.read { try $0.windowUse() }.map(\.isPaced) == [true])
    }

    @Test(arguments: TestDatabase.all)
    func `a retry waits in the ledger until it is due, and goes before new shards`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(paced([40, 40], perSecond: 40))
        let first = try #require(try await turns(number).shards.first)
        let run = try await ledger.running(first.record.id.key).token
        var progress = Progress(count: first.record.count)
        for position in 0..<progress.count { progress.accept(position) }
        progress.retry(3, .seconds5, Progress.Note(reason: "TooManyRequests"))
        let settlement = try Settlement.of(progress)
        let result = try await ledger.write(.synced) { try $0.settle(run, settlement, now: .start + 1) }
        #expect(result == .settled(children: []))
        var child = first.record.id.key
        child.child = 1
        let row = try #require(try await ledger.row(child))
        #expect(row.state == .aside && row.aside == .rate && row.count == 1)
        let waiting = try await ledger.status(number, now: .start + 1)
        #expect(waiting.pending.retrying == 1)
        #expect(waiting.nextRetryAt == .start + 6)
        let early = try await turns(number, now: .start + 5)
        #expect(!early.shards.isEmpty && early.shards.allSatisfy { $0.record.id.key.child == 0 })
        let due = try await turns(number, now: .start + 7)
        #expect(due.shards.first?.record.id.key == child)
        #expect(due.shards.first?.record.slot != nil)
        #expect(try await ledger.status(number, now: .start + 7).law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `the campaigns of an app share the app's rate`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let one = try await ledger.accepted()
        let two = try await ledger.accepted(Sample.campaign([6, 6], facts: Sample.facts(id: "goal"), firstToken: 90))
        let pace = Pace(perSecond: 8)
        var slots: [Slot] = []
        for half in 0..<12 {
            let now = Timestamp.start.advanced(by: .milliseconds(500 * half))
            for campaign in [one, two] {
                slots += try await turns(campaign, app: pace, now: now).shards.compactMap(\.record.slot)
            }
        }
        slots.sort { $0.begins < $1.begins }
        #expect(slots.count == 11)
        #expect(zip(slots, slots.dropFirst()).allSatisfy { $0.begins + $0.length <= $1.begins })
    }

    @Test(arguments: TestDatabase.all)
    func `another rate holds for every turn that is given away from then on, and none lets all go`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(paced([40, 40, 40], perSecond: 40))
        _ = try await turns(number)
        _ = try await ledger.write(.synced) { try $0.setPace(campaign: number, Pace(perSecond: 4), now: .start + 1) }
        let slower = try await turns(number, now: .start + 1).shards
        #expect(!slower.isEmpty)
        #expect(slower.compactMap(\.record.slot).allSatisfy { $0.length >= 250_000 })
        let facts = try await ledger.write(.synced) { try $0.setPace(campaign: number, nil, now: .start + 2) }
        guard case .done(let now) = facts else {
            Issue.record("it is live")
            return
        }
        #expect(now.pace == nil)
        let released = try await ledger.write(.synced) {
            try $0.releaseAside(campaign: number, knowsApp: true, limit: 100, now: .start + 2)
        }
        #expect(!released.isEmpty && released.allSatisfy { $0.record.slot == nil })
    }

    @Test(arguments: TestDatabase.all)
    func `a retry that a clock that was ahead has put off goes out when the rate is taken away`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        var new = Sample.campaign([40], facts: Sample.facts(expiresAt: .start + 200_000))
        new.pace = Pace(perSecond: 40)
        let number = try await ledger.accepted(new)
        let first = try #require(try await turns(number).shards.first)
        let run = try await ledger.running(first.record.id.key).token
        var progress = Progress(count: first.record.count)
        for position in 0..<progress.count { progress.accept(position) }
        progress.retry(3, .seconds5, Progress.Note(reason: "TooManyRequests"))
        let settlement = try Settlement.of(progress)
        _ = try await ledger.write(.synced) { try $0.settle(run, settlement, now: .start + 86_400) }
        _ = try await ledger.write(.synced) { try $0.setPace(campaign: number, nil, now: .start + 2) }
        let released = try await ledger.write(.synced) {
            try $0.releaseAside(campaign: number, knowsApp: true, limit: 100, now: .start + 3)
        }
        #expect(released.contains { $0.record.id.key.child == 1 })
    }

    @Test(arguments: TestDatabase.all)
    func `a paused campaign gets no turns, and a planner without the lease gives none`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(paced([8], perSecond: 8))
        _ = try await ledger.write(.synced) { try $0.pause(campaign: number, now: .start) }
        #expect(try await turns(number).shards.isEmpty)
        _ = try await ledger.write(.synced) { try $0.resume(campaign: number, now: .start) }
        #expect(try await turns(number, worker: 2).isFenced)
        // Its planner is dead: under a rate another one takes over within a second.
        #expect(try await ledger.read { try $0.leaseOutlook(of: 2, apps: ["news"], now: .start + 1) }.isAnyFree)
        #expect(try await !turns(number, worker: 2, now: .start + 1).shards.isEmpty)
    }

    @Test(arguments: TestDatabase.all)
    func `the outcomes of a chunk in pieces are those of all its pieces`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(paced([12], perSecond: 16))
        for shard in try await turns(number).shards.prefix(2) {
            let run = try await ledger.running(shard.record.id.key).token
            let settlement = try Settlement.of(.accepted(shard.record.count))
            _ = try await ledger.write(.synced) { try $0.settle(run, settlement, now: .start) }
        }
        let results = try await ledger.read { try $0.deviceResults(campaign: number, chunks: 0..<1) }
        #expect(results.map { $0.outcome == .accepted } == (0..<12).map { $0 < 8 })
    }
}
