import Campaigns
import Delivery
import Store
import Testing

/// Tokens reported as dead by a provider, and forgotten devices.
@Suite(.fewLedgersAtOnce) struct RegistryDeathTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    @Test(arguments: TestDatabase.all) func `a token that is called dead is marked with the provider's instant`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        for number in 0..<3 { try await ledger.register(Sample.registration("d\(number)"), token: number) }
        try await ledger.send("one", devices: 3, dead: [1], since: .start + 7)
        let dead = try #require(try await ledger.device("d1"))
        #expect(dead.state == .dead && dead.endedAt == .start + 7 && dead.token == Sample.token(1))
        #expect(try await ledger.walked() == ["d0", "d2"])
        #expect(try await ledger.register(Sample.registration("d1"), token: 1) == .unchanged)
        #expect(try await ledger.walked() == ["d0", "d2"])
    }

    @Test(arguments: TestDatabase.all) func `a registration after the provider's instant lives, in lists as well`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await ledger.register(Sample.registration("later", registeredAt: .start + 8), token: 0)
        try await ledger.register(Sample.registration("same", registeredAt: .start + 7), token: 1)
        try await ledger.send("one", devices: 2, dead: [0, 1], since: .start + 7)
        #expect(try await ledger.device("later")?.state == .live)
        #expect(try await ledger.device("same")?.state == .dead)
        let next = try await ledger.accepted(Sample.campaign([2], facts: Sample.facts(id: "two"), identity: "two"))
        _ = try await ledger.planned(next)
        #expect(try await ledger.status(next).counts.invalid == 1)
    }

    @Test(arguments: TestDatabase.all) func `registering after its death revives a token`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await ledger.send("one", devices: 2, dead: [0, 1], since: .start + 7)
        #expect(try await ledger.register(Sample.registration("a"), token: 0) == .added)
        #expect(try await ledger.device("a")?.state == .dead)
        #expect(try await ledger.register(Sample.registration("a", registeredAt: .start + 8), token: 0) == .updated)
        #expect(try await ledger.device("a")?.state == .live)
        // The old marks are read again when the chunk gets new ones; they do not kill it a second time.
        _ = try await ledger.write { try $0.learnDeadTokens() }
        #expect(try await ledger.device("a")?.state == .live)
        let next = try await ledger.accepted(Sample.campaign([2], facts: Sample.facts(id: "two"), identity: "two"))
        _ = try await ledger.planned(next)
        #expect(try await ledger.status(next).counts.invalid == 1)
    }

    @Test(arguments: TestDatabase.all) func `an old mark does not kill a token that was registered again`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await ledger.register(Sample.registration("a"), token: 0)
        try await ledger.register(Sample.registration("b"), token: 1)
        var campaign = Sample.campaign([2], facts: Sample.facts(id: "one"), identity: "one")
        let list = try await ledger.write { transaction in
            let list = try transaction.beginList(app: "news", name: "fans", now: .start)
            try transaction.appendChunks(Sample.chunks([2]), to: list, now: .start)
            return try transaction.finishList(list, version: "v", duplicates: 0, now: .start).number
        }
        for (id, dead) in [("one", 0), ("two", 1)] {
            campaign.facts = Sample.facts(id: id)
            campaign.identity = Array(id.utf8)
            campaign.audience = .list(list)
            let number = try await ledger.accepted(campaign)
            for shard in try await ledger.planned(number) {
                let (record, token) = try await ledger.running(shard.record.id.key)
                var progress = record.progress
                for index in 0..<record.count where progress.codes[index] == 0 {
                    if index == dead {
                        progress.end(index, .invalid, Progress.Note(reason: "Unregistered", deadSince: .start + 7))
                    } else {
                        progress.accept(index)
                    }
                }
                let settled = progress
                _ = try await ledger.write(.synced) { try $0.settle(token, .of(settled), now: .start) }
            }
            _ = try await ledger.write { try $0.learnDeadTokens() }
            try await ledger.register(Sample.registration("a", registeredAt: .start + 9), token: 0)
        }
        #expect(try await ledger.device("a")?.state == .live)
        #expect(try await ledger.device("b")?.state == .dead)
    }

    @Test(arguments: TestDatabase.all) func `a forgotten device leaves a tombstone that an old file cannot move`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await ledger.register(Sample.registration("ana", user: "u", tags: ["x"]), token: 1)
        #expect(try await ledger.write { try $0.forget(app: "news", installation: "ana", now: .start + 5) })
        #expect(try await ledger.write { try $0.forget(app: "news", installation: "ana", now: .start + 6) } == false)
        let stone = try #require(try await ledger.device("ana"))
        #expect(stone.state == .forgotten && stone.endedAt == .start + 5)
        #expect(stone.installation == nil && stone.token == nil && stone.user == nil && stone.traits.tags.isEmpty)
        #expect(try await ledger.walked().isEmpty)
        #expect(try await ledger.read { try $0.devices(app: "news", user: "u") }.isEmpty)
        #expect(try await ledger.register(Sample.registration("ana"), token: 1) == .forgotten)
        #expect(try await ledger.register(Sample.registration("ana", registeredAt: .start + 5), token: 1) == .forgotten)
        #expect(try await ledger.register(Sample.registration("ana", registeredAt: .start + 6), token: 1) == .updated)
        #expect(try await ledger.walked() == ["ana"])
    }
}
