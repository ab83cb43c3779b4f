import Campaigns
import Delivery
import Store
import Testing

/// Tests of `hold`, `fire` and `send_at`.
struct HoldTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func held(sendAt: Timestamp? = nil, seconds: Int? = nil) async throws -> UInt32 {
        let release = NewCampaign.Release(sendAt: sendAt, isHeld: true, seconds: seconds)
        return try await ledger.accepted(Sample.campaign(Array(repeating: 500, count: 6), release: release))
    }

    private func prepared(_ campaign: UInt32, now: Timestamp = .start) async throws -> PlanResult {
        try await ledger.write { transaction in
            let leased = try transaction.leaseCampaigns(worker: 1, apps: ["news"], now: now)
            let lease = try #require(leased.first { $0.facts.number == campaign })
            return try transaction.prepare(
                lease.token,
                shardsMax: 16,
                now: now
            )
        }
    }

    private func fire(_ campaign: UInt32, now: Timestamp = .start) async throws -> LifeResult {
        try await ledger.write(.synced) { try $0.fire(campaign: campaign, now: now) }
    }

    private func started() async throws -> Int {
        try await ledger.read { try $0.events(limit: 100) }.count { $0.routingKey == "news.campaign.started" }
    }

    @Test(arguments: TestDatabase.all) func `a held campaign is prepared and nothing of it is on its way`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await held()
        #expect(try await ledger.planned(number).isEmpty)
        let first = try await prepared(number)
        guard case .planned(let shards) = first else { throw LedgerError.failed("\(first)") }
        // As many as the wrong-environment guard lets through.
        #expect(shards.count == 4 && shards.allSatisfy { $0.record.state == .aside && $0.record.aside == .held })
        #expect(try await prepared(number) == first)
        let status = try await ledger.status(number)
        #expect(status.state == "held" && status.startedAt == nil && status.law == .holds)
        #expect(status.pending.held == 2000 && status.pending.unplanned == 1000)
        #expect(try await ledger.read { try $0.windowUse() }.isEmpty)
        let routes = try await ledger.read { try $0.heldRoutes() }
        #expect(routes.map(\.app) == ["news"] && routes.first?.urgency == .bulk)
        #expect(try await started() == 0)
    }

    @Test(arguments: TestDatabase.all) func `fire lets the prepared shards go in its own commit, and twice is once`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await held(seconds: 60)
        guard case .planned(let shards) = try await prepared(number) else { throw LedgerError.failed("not prepared") }
        let other = try scratch.open(create: false)
        async let one = fire(number, now: .start + 100)
        async let two = other.write(.synced) { try $0.fire(campaign: number, now: .start + 100) }
        for result in try await [one, two] {
            guard case .done(let facts) = result else { throw LedgerError.failed("\(result)") }
            #expect(facts.expiresAt == .start + 160)
        }
        for shard in shards { #expect(try await ledger.row(shard.record.id.key)?.state == .unpublished) }
        guard case .done(let again) = try await fire(number, now: .start + 130) else {
            throw LedgerError.failed("not done")
        }
        #expect(again.expiresAt == .start + 160 && again.stage == .sending)
        #expect(try await ledger.status(number).startedAt == .start + 100)
        #expect(try await started() == 1)
        #expect(try await ledger.read { try $0.heldRoutes() }.isEmpty)
        // Messages in memory are those that the outbox would make, except for the end, which counts from the release.
        let outbox = try await ledger.read {
            try $0.unpublished(olderThan: .start + 101, now: .start + 101, limit: 100)
        }
        #expect(outbox.map(\.record.id) == shards.map(\.record.id))
        #expect(outbox.allSatisfy { $0.facts.expiresAt == .start + 160 })
    }

    @Test(arguments: TestDatabase.all) func `what is fired before it is prepared is planned as any other`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await held()
        _ = try await fire(number)
        #expect(try await prepared(number) == .waits)
        #expect(try await ledger.planned(number).count == 4)
        #expect(try await started() == 1)
    }

    @Test(arguments: TestDatabase.all) func `fired while it is paused, it begins with resume`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await held()
        _ = try await prepared(number)
        _ = try await ledger.write { try $0.pause(campaign: number, now: .start) }
        _ = try await fire(number)
        func release() async throws -> Int {
            try await ledger.write { try $0.releaseAside(campaign: number, knowsApp: true, limit: 99, now: .start + 1) }
                .count
        }
        #expect(try await release() == 0)
        #expect(try await ledger.status(number).state == "paused")
        _ = try await ledger.write { try $0.resume(campaign: number, now: .start) }
        #expect(try await release() == 4)
        #expect(try await ledger.status(number).state == "sending")
        #expect(try await started() == 1)
    }

    @Test(arguments: TestDatabase.all) func `fired before send_at, it begins then, and its time counts from there`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await held(sendAt: .start + 50, seconds: 60)
        _ = try await prepared(number)
        guard case .done(let facts) = try await fire(number) else { throw LedgerError.failed("not done") }
        #expect(facts.stage == .scheduled && facts.expiresAt == .start + 110)
        func release(_ now: Timestamp) async throws -> Int {
            try await ledger.write { try $0.releaseAside(campaign: number, knowsApp: true, limit: 99, now: now) }.count
        }
        #expect(try await release(.start + 49) == 0)
        #expect(try await release(.start + 50) == 4)
    }

    @Test(arguments: TestDatabase.all) func `a scheduled campaign is not planned before its instant`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let release = NewCampaign.Release(sendAt: .start + 10, seconds: 60)
        let number = try await ledger.accepted(Sample.campaign(release: release))
        #expect(try await ledger.planned(number, now: .start + 9).isEmpty)
        #expect(try await ledger.status(number).state == "scheduled")
        #expect(try await ledger.planned(number, now: .start + 10).count == 3)
        #expect(try await ledger.status(number).state == "sending")
    }

    @Test(arguments: TestDatabase.all) func `a held campaign that is never fired ends expired by itself, and says so`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await held()
        _ = try await prepared(number)
        let end = Timestamp.start + 3600
        #expect(try await ledger.write { try $0.endDue(now: end).expired } == [number])
        let status = try await ledger.status(number)
        #expect(status.state == "completed" && status.stateReason == "it was never fired")
        #expect(status.counts.expired == 3000 && status.law == .holds)
        guard case .over = try await fire(number, now: end) else { throw LedgerError.failed("fired") }
    }

    @Test(arguments: TestDatabase.all) func `only a held campaign is fired`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        guard case .notHeld = try await fire(number) else { throw LedgerError.failed("fired") }
        #expect(try await fire(99) == .unknown)
        let other = try await ledger.accepted(
            Sample.campaign(facts: Sample.facts(id: "late"), release: NewCampaign.Release(isHeld: true))
        )
        _ = try await ledger.write { try $0.cancel(campaign: other, now: .start) }
        guard case .over = try await fire(other) else { throw LedgerError.failed("fired") }
    }
}
