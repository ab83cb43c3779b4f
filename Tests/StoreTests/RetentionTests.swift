import Campaigns
import Delivery
import Store
import Testing

/// The rows that a purge removes and those that it never touches, with an injected clock.
@Suite(.fewLedgersAtOnce)
struct RetentionTests {
    private let scratch = ScratchLedger()
    private let retention = Retention()
    private static let day = 86_400

    /// Creates a campaign whose devices are all accepted.
    private func completed(_ ledger: Ledger, _ id: String, firstToken: Int) async throws -> UInt32 {
        let new = Sample.campaign([4, 2], facts: Sample.facts(id: id), identity: id, firstToken: firstToken)
        let number = try await ledger.accepted(new)
        for shard in try await ledger.planned(number) {
            let (record, token) = try await ledger.running(shard.record.id.key)
            let settlement = try Settlement.of(.accepted(record.count))
            _ = try await ledger.write(.synced) { try $0.settle(token, settlement, now: .start) }
        }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start) }
        return number
    }

    /// Purges everything that a worker would purge in one pass at this instant.
    private func purge(_ ledger: Ledger, at now: Timestamp, rowsMax: Int = 500) async throws {
        let retention = retention
        for campaign in try await ledger.read({ try $0.campaignsToPurge(retention, after: 0, now: now).due }) {
            while try await ledger.write(
                .normal,
                { try $0.purge(campaign: campaign, retention, now: now, rowsMax: rowsMax) }
            ) {}
        }
        while let gone = try await ledger.read({ try $0.forgottenCampaign(after: 0) }) {
            while try await ledger.write(.normal, { try $0.purgeShards(ofForgotten: gone, rowsMax: rowsMax) }) {}
        }
        while try await ledger.write(.normal, { try $0.purgeLists(retention, now: now, max: 1) }) > 0 {}
        while try await ledger.write(.normal, { try $0.purgeParked(retention, now: now, max: 1) }) > 0 {}
        while try await ledger.write(.normal, { try $0.purgeRefusals(retention, now: now, max: 1) }) > 0 {}
        while try await ledger.write(.normal, { try $0.sweepLists(now: now, chunksMax: 1) }) {}
    }

    @Test(arguments: TestDatabase.all)
    func `outcomes go after 30 days and leave the totals, the campaign goes after 90`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let number = try await completed(ledger, "derby", firstToken: 0)
        let before = try await ledger.status(number)
        try await purge(ledger, at: .start + 29 * Self.day)
        #expect(try await !ledger.read { try $0.areOutcomesForgotten(campaign: number) })

        try await purge(ledger, at: .start + 30 * Self.day, rowsMax: 1)
        #expect(try await ledger.read { try $0.areOutcomesForgotten(campaign: number) })
        #expect(try await ledger.status(number) == before)
        // A copy that comes this late is still recognized as settled.
        let claim = Claim(key: key(number, 0), generation: 1, redelivered: false, worker: 9, knowsApp: true)
        #expect(try await ledger.write { try $0.claim(claim, now: .start) }.decision == .settledAlready)
        let retention = retention
        let again = try await ledger.read { try $0.campaignsToPurge(retention, after: 0, now: .start + 31 * Self.day) }
        #expect(again.due.isEmpty)

        try await purge(ledger, at: .start + 90 * Self.day, rowsMax: 1)
        #expect(try await ledger.read { try $0.campaign(number) } == nil)
        #expect(try await ledger.row(key(number, 0)) == nil)
        #expect(try await ledger.row(key(number, 1)) == nil)
        #expect(try await ledger.read { try $0.deviceResults(campaign: number, chunks: 0..<10) }.isEmpty)
        #expect(
            try await ledger.write { try $0.claim(claim, now: .start) }.decision == .park(reason: "UnknownCampaign")
        )
        // Its id may be used again, but never its number.
        #expect(try await ledger.accepted(Sample.campaign()) > number)
    }

    @Test(arguments: TestDatabase.all) func `a live campaign keeps everything, a kept one its list`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let facts = Sample.facts(id: "live", expiresAt: .start + 5000 * Self.day)
        let live = try await ledger.accepted(Sample.campaign([4, 2], facts: facts, identity: "live"))
        _ = try await ledger.planned(live, max: 1)
        let (_, token) = try await ledger.running(key(live, 0))
        #expect(try await ledger.write { try $0.parkShard(token, reason: "LawViolated", now: .start) })
        let finished = try await completed(ledger, "derby", firstToken: 100)
        let before = try await ledger.status(live)
        try await purge(ledger, at: .start + 4000 * Self.day)
        #expect(try await ledger.status(live) == before)
        #expect(try await ledger.read { try $0.parkedCount() } == 1)
        #expect(try await ledger.read { try $0.deviceResults(campaign: live, chunks: 0..<10) }.count == 6)
        #expect(try await ledger.read { try $0.campaign(finished) } == nil)
        #expect(try await ledger.read { try $0.shardToPublish(key(live, 0)) } != nil)
    }

    @Test(arguments: TestDatabase.all) func `a list that a kept campaign uses stays until the campaign goes`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        func put(_ name: String, _ first: Int) async throws -> UInt32 {
            try await ledger.write { transaction in
                let list = try transaction.beginList(app: "news", name: name, now: .start)
                try transaction.appendChunks(Sample.chunks([4], firstToken: first), to: list, now: .start)
                _ = try transaction.finishList(list, version: "v1", duplicates: 0, now: .start)
                return list
            }
        }
        let (used, unused) = (try await put("used", 0), try await put("unused", 10))
        var new = Sample.campaign()
        new.audience = .list(used)
        let number = try await ledger.accepted(new)
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: number, now: .start) }
        try await purge(ledger, at: .start + 29 * Self.day)
        #expect(try await ledger.read { try $0.lists(app: nil) }.count == 2)
        try await purge(ledger, at: .start + 89 * Self.day)
        #expect(try await ledger.read { try $0.lists(app: nil) }.map(\.number) == [used])
        #expect(try await ledger.read { try $0.list(number: unused) } == nil)
        try await purge(ledger, at: .start + 90 * Self.day)
        #expect(try await ledger.read { try $0.lists(app: nil) }.isEmpty)
    }

    @Test(arguments: TestDatabase.all) func `parked messages and refusals go with the time`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let message = ParkedMessage(queue: "fanfare.v1.campaigns", reason: "InvalidJob", body: [1], at: .start)
        try await ledger.write { transaction in
            try transaction.park(message)
            try transaction.refuse(app: "news", id: "bad", document: [1], correlationID: "m", now: .start) { _ in
                CampaignEvent(.refused, app: "news", campaign: "bad", time: .start, data: .null)
            }
        }
        try await purge(ledger, at: .start + (30 * Self.day - 1))
        #expect(try await ledger.read { try $0.parkedCount() } == 1)
        try await purge(ledger, at: .start + 30 * Self.day)
        #expect(try await ledger.read { try $0.parkedCount() } == 0)
        #expect(try await ledger.read { try $0.refusal(app: "news", id: "bad") } != nil)
        try await purge(ledger, at: .start + 90 * Self.day)
        #expect(try await ledger.read { try $0.refusal(app: "news", id: "bad") } == nil)
    }

    @Test(arguments: TestDatabase.all) func `the last sent job of a key is kept for ten minutes`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let (old, new) = (SentJob(identity: [1], at: .start), SentJob(identity: [2], at: .start + 1))
        try await ledger.write { transaction in
            try transaction.note(old, app: "news", id: "derby")
            try transaction.note(new, app: "news", id: "derby")
            for number in 1...3 { try transaction.note(old, app: "news", id: "old-\(number)") }
        }
        func kept(_ id: String) async throws -> SentJob? {
            try await ledger.read { try $0.sentJob(app: "news", id: id) }
        }
        func purged(at now: Timestamp) async throws -> Int {
            try await ledger.write(.normal) { try $0.purgeSentJobs(now: now, max: 2) }
        }
        #expect(try await kept("derby") == new)
        #expect(try await ledger.read { try $0.sentJob(app: "shop", id: "derby") } == nil)
        #expect(try await purged(at: .start + 600) == 0)
        #expect(try await purged(at: .start + 601) == 2)
        #expect(try await purged(at: .start + 601) == 1)
        #expect(try await kept("old-1") == nil)
        #expect(try await kept("derby") == new)
    }

    @Test(arguments: TestDatabase.all)
    func `of two live planners the older one purges, and the other one when it is gone`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        func register(_ roles: [String], _ now: Timestamp) async throws -> Int64 {
            try await ledger.write {
                try $0.registerWorker(name: "w", roles: roles, accounts: .apns(["news"]), now: now)
            }
        }
        let sender = try await register(["sender"], .start)
        let first = try await register(["planner"], .start)
        let second = try await register(["intake", "planner"], .start + 5)
        func purgers(_ now: Timestamp) async throws -> [Int64] {
            try await ledger.write { transaction in
                try [sender, first, second].filter { try transaction.reader.isPurger($0, now: now) }
            }
        }
        #expect(try await purgers(.start + 6) == [first])
        #expect(try await purgers(.start + 12) == [second])
    }
}
