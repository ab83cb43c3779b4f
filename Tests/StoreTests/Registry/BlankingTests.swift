import Campaigns
import Delivery
import Store
import Testing

/// Forgotten devices leave no trace in lists.
@Suite(.fewLedgersAtOnce) struct BlankingTests {
    private let scratch = ScratchLedger()

    @Test(arguments: TestDatabase.all)
    func `a forgotten device's bytes leave lists when no campaign under way uses them`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let new = Sample.campaign([4, 2], facts: Sample.facts(id: "derby"), identity: "derby", firstToken: 0)
        let number = try await ledger.accepted(new)
        let shards = try await ledger.planned(number)
        let tokens: Set = [Sample.token(1), Sample.token(5)]
        func entries() async throws -> [ListEntry] {
            try await ledger.read { try $0.entries(of: tokens, app: "news", after: (0, -1)).found }
        }
        let found = try await entries()
        #expect(found.map(\.positions) == [[1], [1]])
        try await ledger.write { try $0.leaveOut(found) }
        #expect(try await ledger.write { try $0.blankForgotten() } == 0)
        #expect(try await entries() == found)
        for shard in shards {
            let (record, token) = try await ledger.running(shard.record.id.key)
            let settlement = try Settlement.of(.accepted(record.count))
            _ = try await ledger.write(.synced) { try $0.settle(token, settlement, now: .start) }
        }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start) }
        let before = try await ledger.status(number)
        #expect(try await ledger.write { try $0.blankForgotten(chunksMax: 1) } == 1)
        #expect(try await ledger.write { try $0.blankForgotten() } == 1)
        #expect(try await ledger.write { try $0.blankForgotten() } == 0)
        #expect(try await entries().isEmpty)
        let others: Set = [Sample.token(0), Sample.token(2), Sample.token(4)]
        let rest = try await ledger.read { try $0.entries(of: others, app: "news", after: (0, -1)).found }
        #expect(rest.map(\.positions) == [[0, 2], [0]])
        #expect(try await ledger.status(number) == before)
        // Another device forgotten in the same chunk is found as well.
        var one = try #require(rest.first)
        one.positions = [2]
        let entry = one
        try await ledger.write { try $0.leaveOut([entry]) }
        #expect(try await ledger.write { try $0.blankForgotten() } == 1)
        #expect(
            try await ledger.read { try $0.entries(of: [Sample.token(2)], app: "news", after: (0, -1)).found }.isEmpty
        )
    }
}
