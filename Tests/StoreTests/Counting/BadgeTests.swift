import Campaigns
import Delivery
import Store
import Testing

/// Badges that the registry counts, and the numbers that shards carry.
@Suite(.fewLedgersAtOnce) struct BadgeTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func campaign(_ id: String, _ badge: BadgeChange, _ sizes: [Int] = [3]) -> NewCampaign {
        var new = Sample.campaign(sizes, facts: Sample.facts(id: id), identity: id)
        new.badge = badge
        return new
    }

    private func cut(_ new: NewCampaign) async throws -> [ShardToPublish] {
        try await ledger.planned(try await ledger.accepted(new))
    }

    private func badges(_ shard: ShardToPublish) throws -> [String?] {
        let column = try shard.shard().devices.variables.first { $0.name == "fanfare.badge" }
        return (column?.values ?? []).map { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    private func register(_ count: Int) async throws {
        for number in 0..<count { try await ledger.register(Sample.registration("d\(number)"), token: number) }
    }

    @Test(arguments: TestDatabase.all) func `each campaign counts once, and a device without a count carries none`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await register(2)
        let first = try #require(try await cut(campaign("one", .step(.up))).first)
        #expect(try badges(first) == ["1", "1", nil])
        let second = try #require(try await cut(campaign("two", .step(.up))).first)
        #expect(try badges(second) == ["2", "2", nil])
        #expect(try await ledger.device("d1")?.badge == 2)
        for id in ["three", "four", "five"] { _ = try await cut(campaign(id, .step(.down))) }
        #expect(try await ledger.device("d0")?.badge == 0)
        // The first campaign's shard is unchanged, byte for byte.
        let again = try await ledger.read { try $0.shardToPublish(first.record.id.key) }
        #expect(try again?.body() == first.body())
    }

    @Test(arguments: TestDatabase.all) func `a retry carries the number of the first try`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await register(3)
        let number = try await ledger.accepted(campaign("one", .step(.up)))
        let shard = try #require(try await ledger.planned(number).first)
        _ = try await cut(campaign("two", .step(.up)))
        let (_, token) = try await ledger.running(shard.record.id.key)
        let progress = Progress.accepted(3) { $0.retry(1, .seconds5, Progress.Note(reason: "Busy", requests: 1)) }
        let settlement = try Settlement.of(progress)
        _ = try await ledger.write(.synced, scope: .shards) { try $0.settle(token, settlement, now: .start) }
        let child = try await ledger.read { try $0.shardToPublish(key(number, 0, 1)) }
        #expect(try child.map(badges) == ["1"])
        #expect(try await ledger.device("d1")?.badge == 2)
    }

    @Test(arguments: TestDatabase.all) func `a count that is given is what the next one counts from`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await register(2)
        // Nothing is stored for an app that has never counted.
        _ = try await cut(campaign("zero", .count(9)))
        #expect(try await ledger.device("d0")?.badge == 0)
        _ = try await cut(campaign("first", .step(.up)))
        let constant = try #require(try await cut(campaign("one", .count(7))).first)
        #expect(try badges(constant).isEmpty)
        #expect(try badges(try #require(try await cut(campaign("two", .step(.up))).first)) == ["8", "8", nil])
        #expect(try badges(try #require(try await cut(campaign("three", .step(.down))).first)) == ["7", "7", nil])
        var cleared = Sample.registration("d0")
        cleared.badge = 0
        #expect(try await ledger.register(cleared, token: 0) == .updated)
        #expect(try await ledger.register(Sample.registration("d0", locale: "es"), token: 0) == .updated)
        #expect(try badges(try #require(try await cut(campaign("four", .step(.up))).first)) == ["1", "8", nil])
    }

    @Test(arguments: TestDatabase.all) func `no count goes beyond what a phone holds`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        var full = Sample.registration("d0")
        full.badge = BadgeStep.countMax
        try await ledger.register(full, token: 0)
        #expect(try badges(try #require(try await cut(campaign("one", .step(.up))).first)).first == "2147483647")
        #expect(try await ledger.device("d0")?.badge == BadgeStep.countMax)
    }

    @Test(arguments: TestDatabase.all) func `those that are left out are not counted, and a large audience all is`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let count = 700
        let registrations = (0..<count).map { Sample.registration("d\($0)") }
        _ = try await ledger.write {
            try $0.register(registrations, tokens: (0..<count).map(Sample.token), app: "news", now: .start)
        }
        let cap = FrequencyCap([.init(most: 1, per: .seconds(60))])
        let one = try await ledger.accepted(Sample.campaign([3], facts: Sample.facts(id: "zero"), identity: "zero"))
        _ = try await ledger.planned(one, cap: cap)
        let number = try await ledger.accepted(campaign("one", .step(.up), [500, 200]))
        let shards = try await ledger.planned(number, cap: cap)
        #expect(try shards.map { try badges($0).compactMap(\.self).count } == [497, 200])
        for device in ["d0", "d2"] { #expect(try await ledger.device(device)?.badge == 0) }
        for device in ["d3", "d499", "d699"] { #expect(try await ledger.device(device)?.badge == 1) }
    }

    @Test(arguments: TestDatabase.all) func `a count stays with the device when tokens move`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await ledger.register(Sample.registration(nil), token: 0)
        _ = try await cut(campaign("one", .step(.up), [1]))
        // It was the same device all along.
        try await ledger.register(Sample.registration("ana"), token: 0)
        #expect(try await ledger.device("ana")?.badge == 1)
        try await ledger.register(Sample.registration("bea"), token: 0)
        #expect(try await ledger.device("bea")?.badge == 0)
        #expect(try await ledger.device("ana")?.badge == 1)
    }

    @Test(arguments: TestDatabase.all) func `the numbers go with the campaign`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        try await register(3)
        let number = try await ledger.accepted(campaign("one", .step(.up), [3]))
        let shard = try #require(try await ledger.planned(number).first)
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: number, now: .start) }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start) }
        #expect(try badges(shard) == ["1", "1", "1"])
        let late = Timestamp.start + 400 * 86_400
        while try await ledger.write(.synced, { try $0.purge(campaign: number, Retention(), now: late) }) {}
        while try await ledger.write(.synced, { try $0.purgeShards(ofForgotten: number, rowsMax: 1) }) {}
        #expect(try await ledger.read { try $0.shard(shard.record.id.key) } == nil)
        #expect(try await ledger.read { try $0.forgottenCampaign(after: 0) } == nil)
    }
}
