import Campaigns
import Delivery
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct BreakerTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }
    private let trip = Breaker.Trip(reason: "ServiceUnavailable", since: .start)

    private func open(_ app: String = "news", now: Timestamp = .start) async throws -> Bool {
        let trip = trip
        return try await ledger.write(.synced) { try $0.tripBreaker(app: app, provider: .apns, trip, now: now) }
    }

    private func probe(_ campaign: UInt32, now: Timestamp) async throws -> [ShardToPublish] {
        try await ledger.write(.synced) { transaction in
            let leases = try transaction.leaseCampaigns(worker: 1, apps: ["news", "shop"], now: now)
            guard let lease = leases.first(where: { $0.facts.number == campaign }) else { return [] }
            return try transaction.beginProbe(lease.token, now: now)
        }
    }

    private func claim(_ key: ShardKey, generation: UInt32, now: Timestamp) async throws -> ClaimResult {
        let claim = Claim(key: key, generation: generation, redelivered: false, worker: 7, knowsApp: true)
        return try await ledger.write(scope: .shards) { try $0.claim(claim, now: now) }
    }

    private func events() async throws -> [String] {
        try await ledger.read { try $0.events(limit: 100) }.map(\.routingKey)
    }

    @Test(arguments: TestDatabase.all) func `open, it sets aside the app's shards and nobody else's`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let news = try await ledger.accepted()
        let shop = try await ledger.accepted(Sample.campaign(facts: Sample.facts(app: "shop"), firstToken: 100))
        for campaign in [news, shop] { #expect(try await ledger.planned(campaign, max: 1).count == 1) }
        #expect(try await open())
        #expect(try await !open())
        #expect(try await claim(key(news, 0), generation: 1, now: .start + 1).decision == .setAside(.breaker))
        #expect(try await claim(key(shop, 0), generation: 1, now: .start + 1).decision == .run)
        // No new shards are cut either.
        #expect(try await ledger.planned(news).isEmpty)
        #expect(try await ledger.planned(shop).count == 2)
        let status = try await ledger.status(news)
        #expect(status.state == "paused")
        #expect(status.stateReason == "breaker")
        #expect(status.pending.held == 4)
        #expect(status.law == .holds)
        #expect(try await ledger.read { try $0.openBreakers() }.map(\.app) == ["news"])
        #expect(try await events().filter { $0 == "news.app.suspended" }.count == 1)
    }

    @Test(arguments: TestDatabase.all) func `one shard is the probe, and its success lets the others go`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        _ = try await open()
        for ordinal in 0...2 as ClosedRange<UInt32> {
            _ = try await claim(key(number, ordinal), generation: 1, now: .start)
        }
        #expect(try await probe(number, now: .start).isEmpty)
        let chosen = try #require(try await probe(number, now: .start + 1).first).record
        #expect(chosen.id.key == key(number, 0))
        #expect(try await probe(number, now: .start + 2).isEmpty)

        #expect(try await claim(chosen.id.key, generation: chosen.generation, now: .start + 2).decision == .run)
        #expect(try await ledger.read { try $0.openBreakers() }.first?.breaker.probe?.owner == 7)
        let released = try await ledger.write {
            try $0.releaseAside(campaign: number, knowsApp: true, limit: 9, now: .start + 2)
        }
        #expect(released.isEmpty)
        try await ledger.write(.synced) { try $0.endProbe(chosen.id.key, .healthy, now: .start + 3) }
        let after = try await ledger.write {
            try $0.releaseAside(campaign: number, knowsApp: true, limit: 9, now: .start + 3)
        }
        #expect(after.map(\.record.id.key.ordinal) == [1, 2])
        #expect(try await events().last == "news.app.resumed")
        #expect(try await ledger.status(number).state == "sending")
    }

    @Test(arguments: TestDatabase.all) func `without a shard that waits a new one is cut as the probe`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await open()
        let chosen = try await probe(number, now: .start + 1)
        #expect(chosen.map(\.record.id.key) == [key(number, 0)])
        let result = try await claim(key(number, 0), generation: 1, now: .start + 1)
        #expect(result.decision == .run)
        #expect(result.campaign?.breaker.isProbe(key(number, 0)) == true)
        try await ledger.write(.synced) { try $0.endProbe(key(number, 0), .failed, now: .start + 2) }
        let breaker = try #require(try await ledger.read { try $0.breaker(app: "news", provider: .apns) })
        #expect(breaker.failures == 1)
        #expect(breaker.probeAt == .start + 4)
    }

    @Test(arguments: TestDatabase.all) func `a campaign that a person paused gives no probe, and its probe is given up`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await open()
        let chosen = try #require(try await probe(number, now: .start + 1).first).record
        _ = try await ledger.write(.synced) { try $0.pause(campaign: number, now: .start + 1) }
        #expect(try await claim(chosen.id.key, generation: 1, now: .start + 2).decision == .setAside(.paused))
        let breaker = try #require(try await ledger.read { try $0.breaker(app: "news", provider: .apns) })
        #expect(breaker.probe == nil)
        #expect(try await probe(number, now: .start + 3).isEmpty)
        // Both reasons are shown, and each is removed independently.
        #expect(try await ledger.status(number).stateReason == "breaker, paused")
        _ = try await ledger.write(.synced) { try $0.resume(campaign: number, now: .start + 4) }
        #expect(try await ledger.status(number).stateReason == "breaker")
        #expect(try await probe(number, now: .start + 4).count == 1)
    }

    @Test(arguments: TestDatabase.all) func `a resume makes the probe due at once`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        let slow = Breaker.Trip(reason: "InvalidProviderToken", since: .start, rest: .seconds(3600))
        _ = try await ledger.write(.synced) { transaction in
            _ = try transaction.pause(campaign: number, reason: .credentials, now: .start)
            return try transaction.tripBreaker(of: key(number, 0), slow, now: .start)
        }
        #expect(try await probe(number, now: .start + 10).isEmpty)
        _ = try await ledger.write(.synced) { try $0.resume(campaign: number, reason: .credentials, now: .start + 10) }
        #expect(try await probe(number, now: .start + 10).count == 1)
    }

    @Test(arguments: TestDatabase.all) func `behind an open breaker an urgent job takes the long way`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        _ = try await open()
        let (acceptance, shards) = try await ledger.write(.synced) {
            try $0.acceptClaimed(Sample.campaign(), worker: 7, now: .start)
        }
        guard case .accepted(let number, _) = acceptance else {
            Issue.record("\(acceptance)")
            return
        }
        #expect(shards.isEmpty)
        #expect(try await ledger.status(number).pending.unplanned == 10)
    }

    @Test(arguments: TestDatabase.all) func `what is set aside behind it still expires`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign(facts: Sample.facts(expiresAt: .start + 60)))
        _ = try await ledger.planned(number, max: 1)
        _ = try await open()
        _ = try await claim(key(number, 0), generation: 1, now: .start + 1)
        #expect(try await ledger.write(.synced) { try $0.endDue(now: .start + 60).expired } == [number])
        let status = try await ledger.status(number, now: .start + 60)
        #expect(status.counts.expired == 10)
        #expect(status.pending.total == 0)
    }
}
