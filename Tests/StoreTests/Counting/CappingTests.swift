import Campaigns
import Delivery
import Store
import Testing

/// The frequency cap where it is decided: in the transaction that cuts.
@Suite(.fewLedgersAtOnce) struct CappingTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private static let twoADay = FrequencyCap([.init(most: 2, per: .seconds(86_400), tags: ["sport"])])

    private func campaign(
        _ id: String,
        _ sizes: [Int] = [4, 2],
        tags: [String] = ["sport"],
        ignoresCap: Bool = false
    ) -> NewCampaign {
        var new = Sample.campaign(sizes, facts: Sample.facts(id: id, expiresAt: .start + 900_000), identity: id)
        new.tags = tags
        new.ignoresCap = ignoresCap
        return new
    }

    /// Cuts all shards of a new campaign.
    private func cut(
        _ new: NewCampaign,
        cap: FrequencyCap = twoADay,
        now: Timestamp = .start
    ) async throws -> (number: UInt32, shards: [ShardToPublish]) {
        let number = try await ledger.accepted(new, now: now)
        return (number, try await ledger.planned(number, cap: cap, now: now))
    }

    private func counts(_ number: UInt32) async throws -> (pending: Int, skipped: Int, capped: Int) {
        let status = try await ledger.status(number)
        #expect(status.law == .holds)
        return (status.pending.total, status.counts.skipped, status.reasons["FrequencyCap"] ?? 0)
    }

    private func settle(_ shards: [ShardToPublish], _ end: (inout Progress) -> Void) async throws {
        for shard in shards {
            let (record, token) = try await ledger.running(shard.record.id.key)
            var progress = record.progress
            end(&progress)
            let settlement = try Settlement.of(progress)
            _ = try await ledger.write(.synced, scope: .shards) { try $0.settle(token, settlement, now: .start) }
        }
    }

    @Test(arguments: TestDatabase.all) func `the third campaign of a tag in a day reaches nobody, other tags do`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        for id in ["one", "two"] {
            let cut = try await cut(campaign(id))
            #expect(cut.shards.count == 2)
            #expect(try await counts(cut.number) == (6, 0, 0))
        }
        let third = try await cut(campaign("three"))
        #expect(third.shards.isEmpty)
        #expect(try await counts(third.number) == (0, 6, 6))
        let stage = try await ledger.write(.synced) { try $0.completeIfDone(campaign: third.number, now: .start) }
        #expect(stage == .completed)
        #expect(try await counts(try await cut(campaign("other", tags: ["weather"])).number) == (6, 0, 0))
        // It is not capped, but it counts.
        let loud = try await cut(campaign("loud", ignoresCap: true), now: .start + 86_400)
        #expect(try await counts(loud.number) == (6, 0, 0))
        #expect(try await counts(try await cut(campaign("four"), now: .start + 86_400).number) == (6, 0, 0))
        #expect(try await counts(try await cut(campaign("five"), now: .start + 86_401).number) == (0, 6, 6))
    }

    @Test(arguments: TestDatabase.all) func `those who are new to an audience are sent to beside those who are not`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let cap = FrequencyCap([.init(most: 1, per: .seconds(60))])
        _ = try await cut(campaign("one", [3]), cap: cap)
        let two = try await cut(campaign("two", [5]), cap: cap)
        let record = try #require(two.shards.first?.record)
        #expect((0..<3).allSatisfy { record.progress.state(at: $0) == .outcome(.skipped) })
        #expect(record.progress.pendingCount == 2)
        #expect(try await counts(two.number) == (2, 3, 3))
        // Exactly a minute later the devices of the first may be sent to again, those of the second not.
        let three = try await cut(campaign("three", [5]), cap: cap, now: .start + 60)
        #expect(try await counts(three.number) == (5, 0, 0))
    }

    @Test(arguments: TestDatabase.all) func `what was not reached in the end is not counted`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let cap = FrequencyCap([.init(most: 1, per: .seconds(86_400))])
        let one = try await cut(campaign("one", [6]), cap: cap)
        // Pending devices count.
        #expect(try await counts(try await cut(campaign("two", [6]), cap: cap).number).capped == 6)
        try await settle(one.shards) { progress in
            progress.accept(0)
            progress.end(1, .failed, Progress.Note(reason: "BadTopic", requests: 1))
            progress.end(2, .failed, Progress.Note(reason: "Unknown", requests: 1))
            progress.end(3, .expired, Progress.Note())
            progress.end(4, .cancelled, Progress.Note())
            progress.end(5, .superseded, Progress.Note())
        }
        let three = try await cut(campaign("three", [6]), cap: cap)
        let record = try #require(three.shards.first?.record)
        let capped = (0..<6).filter { record.progress.state(at: $0) == .outcome(.skipped) }
        #expect(capped == [0, 2])
        #expect(try await counts(three.number) == (4, 2, 2))
    }

    @Test(arguments: TestDatabase.all) func `a campaign that is cancelled as a whole gives everything back`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let cap = FrequencyCap([.init(most: 1, per: .seconds(86_400))])
        let one = try await cut(campaign("one"), cap: cap)
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: one.number, now: .start) }
        #expect(try await counts(try await cut(campaign("two"), cap: cap).number) == (6, 0, 0))
    }

    @Test(arguments: TestDatabase.all) func `two campaigns that are cut at once do not both slip through`(
        _ database: TestDatabase
    ) async throws {
        let first = try scratch.open(on: database)
        let other = try scratch.open(create: false)
        let cap = FrequencyCap([.init(most: 1, per: .seconds(86_400))])
        let sizes = Array(repeating: 100, count: 8)
        let one = try await first.accepted(campaign("one", sizes))
        let two = try await first.accepted(campaign("two", sizes))
        for _ in 0..<8 {
            async let left = first.planned(one, max: 1, cap: cap)
            async let right = other.planned(two, max: 1, cap: cap)
            _ = try await (left, right)
        }
        let (a, b) = (try await counts(one), try await counts(two))
        #expect(a.pending + b.pending == 800 && a.capped + b.capped == 800)
    }

    @Test(arguments: TestDatabase.all) func `the short way and campaigns under a rate are bound as well`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let cap = FrequencyCap([.init(most: 1, per: .seconds(86_400))])
        let (acceptance, shards) = try await ledger.write(.synced) { [new = campaign("urgent")] in
            try $0.acceptClaimed(new, worker: 7, cap: cap, now: .start)
        }
        #expect(shards.count == 2)
        guard case .accepted = acceptance else { throw LedgerError.failed("\(acceptance)") }
        let again = try await ledger.write(.synced) { [new = campaign("again", [6])] in
            try $0.acceptClaimed(new, worker: 7, cap: cap, now: .start)
        }
        #expect(again.shards.isEmpty)
        var paced = campaign("paced", [8])
        paced.pace = Pace(perSecond: 4)
        let number = try await ledger.accepted(paced)
        _ = try await ledger.write { transaction in
            let leased = try transaction.leaseCampaigns(worker: 1, apps: ["news"], now: .start)
            let lease = try #require(leased.first { $0.facts.number == number })
            return try transaction.givePacedTurns(lease.token, appPace: nil, cap: cap, now: .start)
        }
        #expect(try await counts(number) == (2, 6, 6))
    }

    @Test(arguments: TestDatabase.all) func `a held campaign is judged when it is fired`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let cap = FrequencyCap([.init(most: 1, per: .seconds(86_400))])
        var held = campaign("held")
        held.release = NewCampaign.Release(isHeld: true)
        let number = try await ledger.accepted(held)
        let prepared = try await ledger.write { transaction in
            let leased = try transaction.leaseCampaigns(worker: 1, apps: ["news"], now: .start)
            let lease = try #require(leased.first { $0.facts.number == number })
            return try transaction.prepare(lease.token, shardsMax: 16, cap: cap, now: .start)
        }
        #expect(prepared == .planned([]))
        #expect(try await counts(try await cut(campaign("other"), cap: cap).number) == (6, 0, 0))
        _ = try await ledger.write(.synced) { try $0.fire(campaign: number, now: .start + 1) }
        #expect(try await ledger.planned(number, cap: cap, now: .start + 1).isEmpty)
        #expect(try await counts(number) == (0, 6, 6))
    }

    @Test(arguments: TestDatabase.all) func `a background push is neither left out nor counted`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let cap = FrequencyCap([.init(most: 1, per: .seconds(86_400))])
        for id in ["one", "two"] {
            var silent = campaign(id)
            silent.facts.pushType = .background
            #expect(try await counts(try await cut(silent, cap: cap).number) == (6, 0, 0))
        }
        #expect(try await counts(try await cut(campaign("three"), cap: cap).number) == (6, 0, 0))
    }

    @Test(arguments: TestDatabase.all) func `a device of the registry is counted under whatever token it has`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let cap = FrequencyCap([.init(most: 1, per: .seconds(86_400))])
        try await ledger.register(Sample.registration("ana"), token: 0)
        try await ledger.register(Sample.registration("bea"), token: 1)
        _ = try await cut(campaign("one", [1]), cap: cap)
        // Ana gets another token, and her old one goes to a new device.
        try await ledger.register(Sample.registration("ana"), token: 2)
        try await ledger.register(Sample.registration("eva"), token: 0)
        let two = try await cut(campaign("two", [3]), cap: cap)
        let record = try #require(two.shards.first?.record)
        #expect((0..<3).filter { record.progress.state(at: $0) == .outcome(.skipped) } == [2])
        // Tokens change hands: the count of each goes with its device.
        try await ledger.register(Sample.registration("ana"), token: 1)
        _ = try await ledger.write(.synced) { try $0.forget(app: "news", installation: "ana", now: .start) }
        try await ledger.register(Sample.registration("bea"), token: 5)
        var later = Sample.campaign([1], facts: Sample.facts(id: "three"), identity: "three", firstToken: 5)
        later.tags = ["sport"]
        #expect(try await counts(try await cut(later, cap: cap).number) == (0, 1, 1))
    }

    @Test(arguments: TestDatabase.all) func `what counts no more is purged, piece by piece`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let cap = FrequencyCap([.init(most: 1, per: .seconds(60))])
        _ = try await cut(campaign("one", [7]), cap: cap)
        var later = Sample.campaign([3], facts: Sample.facts(id: "two"), identity: "two", firstToken: 100)
        later.tags = []
        _ = try await cut(later, cap: cap, now: .start + 30)
        func purge(_ now: Timestamp) async throws -> Int {
            var (pages, after): (Int, [UInt8]?) = (0, [])
            while let from = after {
                after = try await ledger.write { try $0.purgeCharges(after: from, now: now, rowsMax: 4) }
                pages += 1
            }
            return pages
        }
        #expect(try await purge(.start + 59) == 3)
        #expect(try await purge(.start + 60) == 3)
        #expect(try await purge(.start + 90) == 1)
        #expect(try await purge(.start + 90) == 1)
        #expect(try await counts(try await cut(campaign("three", [7]), cap: cap, now: .start + 90).number).pending == 7)
    }
}
