import Campaigns
import Delivery
import Store
import Testing

/// Reads of lists and curves: outcomes by time, outcomes of a completed campaign, and a search.
@Suite(.fewLedgersAtOnce)
struct OutcomeReadingTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func settle(_ key: ShardKey, _ progress: Progress, at now: Timestamp) async throws {
        let (_, token) = try await ledger.running(key)
        let settlement = try Settlement.of(progress)
        _ = try await ledger.write(.synced) { try $0.settle(token, settlement, now: now) }
    }

    @Test(arguments: TestDatabase.all)
    func `the curve has every settled device where it got its outcome, also afterwards`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4, 3, 2, 1]))
        let shards = try await ledger.planned(number)
        for (shard, second) in zip(shards, [2, 2, 5]) {
            try await settle(shard.record.id.key, .accepted(shard.record.count), at: .start + second)
        }
        let half = try #require(try await ledger.read { try $0.rateCurve(campaign: number, now: .start + 7) })
        #expect(half.beginsAt == .start && half.endsAt == .start + 7 && half.step == 1)
        #expect(half.points.map(\.accepted) == [0, 0, 7, 0, 0, 2, 0, 0])
        var failed = Progress(count: 1)
        failed.end(0, .failed, Progress.Note(reason: "PayloadTooLarge", requests: 1))
        try await settle(shards[3].record.id.key, failed, at: .start + 9)
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start + 9) }
        let whole = try #require(try await ledger.read { try $0.rateCurve(campaign: number, now: .start + 100_000) })
        #expect(whole.endsAt == .start + 9 && whole.points.count == 10)
        #expect(whole.points.map(\.accepted).reduce(0, +) == 9 && whole.points[9].failed == 1)
        #expect(try await ledger.read { try $0.rateCurve(campaign: 99, now: .start) } == nil)
    }

    @Test(arguments: TestDatabase.all)
    func `a completed campaign's outcomes are in its history, unless an earlier version wrote it`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4, 3]))
        let shards = try await ledger.planned(number)
        try await settle(shards[0].record.id.key, .accepted(4), at: .start + 1)
        #expect(try await ledger.read { try $0.completedOutcomes(of: number) } == nil)
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: number, now: .start + 2) }
        let told = try #require(try await ledger.read { try $0.completedOutcomes(of: number) })
        #expect(told.accepted == 4 && told.cancelled == 3 && told.total == 7)
        let facts = try #require(try await ledger.read { try $0.campaign(number) })
        #expect(try await ledger.read { try $0.countedOutcomes(of: facts) } == told)
        try scratch.execute(#"UPDATE history SET data = '{"state":"cancelled"}' WHERE kind = 'campaign.completed'"#)
        #expect(try await ledger.read { try $0.completedOutcomes(of: number) } == nil)
    }

    @Test(arguments: TestDatabase.all)
    func `a search finds parts of ids, apps and names, in either case and as they are`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        for (id, name) in [("derby-1", "Kick-off"), ("cup_2", "100 % off"), ("cup-3", nil), ("final", "Ángel")] {
            var campaign = Sample.campaign(facts: Sample.facts(id: id), identity: id)
            campaign.name = name
            _ = try await ledger.accepted(campaign)
        }
        func found(_ search: String) async throws -> [String] {
            try await ledger.read { try $0.campaigns(app: nil, search: search, limit: 10) }.map(\.facts.id)
        }
        for (search, ids) in [
            ("KICK", ["derby-1"]), ("off", ["cup_2", "derby-1"]), ("cup_", ["cup_2"]), ("%", ["cup_2"]), ("!", []),
            ("Ángel", ["final"]), ("EW", ["final", "cup-3", "cup_2", "derby-1"]),
        ] {
            #expect(try await found(search) == ids, "\(search)")
        }
        let first = try await ledger.read { try $0.campaigns(app: nil, search: "cup", limit: 1) }
        #expect(first.map(\.facts.id) == ["cup-3"])
    }
}
