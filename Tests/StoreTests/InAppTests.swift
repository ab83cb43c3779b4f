import Campaigns
import Delivery
import Store
import Testing

@Suite("In-app campaigns in the ledger", .fewLedgersAtOnce)
struct InAppTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private static func campaign(
        _ id: String = "welcome",
        audience: NewCampaign.Audience = .registry,
        excluded: UInt32? = nil,
        startsAt: Timestamp? = nil,
        endsAt: Timestamp = .start + 3600,
        isHeld: Bool = false
    ) -> NewCampaign {
        var facts = Sample.facts(id: id, expiresAt: endsAt)
        (facts.provider, facts.payload, facts.collapseID) = (ProviderName(rawValue: "in_app"), [], "")
        return NewCampaign(
            identity: Array(id.utf8),
            job: Array("{}".utf8),
            kind: .inApp,
            facts: facts,
            audience: audience,
            createdAt: .start,
            release: NewCampaign.Release(sendAt: startsAt, isHeld: isHeld),
            inApp: NewInApp(excludedList: excluded),
            correlationID: id
        )
    }

    /// Runs a planner's pass; returns true if the campaign goes live.
    private func pass(_ campaign: UInt32, now: Timestamp = .start) async throws -> Bool {
        try await ledger.write(.synced) { transaction in
            _ = try transaction.endDue(now: now)
            let leases = try transaction.leaseCampaigns(worker: 1, apps: ["news"], now: now)
            for lease in leases where lease.unplannedChunks == 0 {
                _ = try transaction.completeIfDone(campaign: lease.facts.number, now: now)
            }
            guard let lease = leases.first(where: { $0.facts.number == campaign }) else { return false }
            return try transaction.beginInApp(
                lease.token,
                now: now
            )
        }
    }

    /// Writes the tokens of a campaign's lists in separate rows.
    private func prepare(_ campaign: UInt32, now: Timestamp = .start) async throws {
        let leases = try await ledger.write { try $0.leaseCampaigns(worker: 1, apps: ["news"], now: now) }
        let lease = try #require(leases.first { $0.facts.number == campaign })
        for list in try await ledger.read({ try $0.inAppLists(campaign: campaign) }) {
            var tokens = InAppTokens(app: "news")
            for chunk in try await ledger.read({ try $0.listChunks(list, after: -1, limit: 100) }) { tokens.add(chunk) }
            let rows = tokens.finish()
            let isOurs = try await ledger.write {
                try $0.writeInAppTokens(rows, list: list, isFirst: true, by: lease.token)
            }
            #expect(isOurs)
        }
        let isOurs = try await ledger.write { try $0.finishInAppTokens(by: lease.token) }
        #expect(isOurs)
    }

    private func live() async throws -> [String] { try await ledger.read { try $0.liveInApp() }.map(\.id) }

    @Test(arguments: TestDatabase.all) func `it lives from its start to its end, and cuts no shard`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Self.campaign(startsAt: .start + 10))
        #expect(try await !pass(number, now: .start + 9))
        #expect(try await ledger.status(number).state == "scheduled")
        #expect(try await live() == [])
        #expect(try await pass(number, now: .start + 10))
        #expect(try await !pass(number, now: .start + 11))
        let during = try await ledger.status(number)
        #expect(during.state == "sending" && during.startedAt == .start + 10 && during.completedAt == nil)
        #expect(try await live() == ["welcome"])
        _ = try await pass(number, now: .start + 3600)
        let after = try await ledger.status(number)
        #expect(after.state == "completed" && after.completedAt == .start + 3600 && after.law == .holds)
        #expect(try await live() == [])
    }

    @Test(arguments: TestDatabase.all) func `each device counts once, and the law holds at every moment`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Self.campaign())
        #expect(try await pass(number))
        #expect(try await ledger.status(number).audience == 0)
        try await ledger.write { try $0.countGiven([(number, 1), (number, 2), (number + 7, 3)]) }
        try await ledger.write { try $0.countGiven([(number, 2), (number, 3)]) }
        let during = try await ledger.status(number)
        #expect(during.audience == 3 && during.counts.accepted == 3 && during.pending.total == 0)
        #expect(during.law == .holds)
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: number, now: .start + 1) }
        // An answer that was in flight.
        try await ledger.write { try $0.countGiven([(number, 4)]) }
        let after = try await ledger.status(number)
        #expect(after.state == "cancelled" && after.audience == 3 && after.counts.accepted == 3)
        #expect(after.completedAt == .start + 1 && after.law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `a pause, a hold and a cancel take it away, a resume and fire bring it`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Self.campaign(isHeld: true))
        #expect(try await !pass(number))
        #expect(try await ledger.status(number).state == "held")
        _ = try await ledger.write(.synced) { try $0.fire(campaign: number, now: .start + 1) }
        #expect(try await pass(number, now: .start + 1))
        #expect(try await live() == ["welcome"])
        _ = try await ledger.write(.synced) { try $0.pause(campaign: number, reason: .paused, now: .start + 2) }
        #expect(try await live() == [])
        #expect(try await ledger.status(number).state == "paused")
        _ = try await ledger.write(.synced) { try $0.resume(campaign: number, now: .start + 3) }
        #expect(try await live() == ["welcome"])
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: number, now: .start + 4) }
        #expect(try await live() == [])
    }

    @Test(arguments: TestDatabase.all) func `a list and one that is left out are asked by token`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        // Several rows of tokens.
        let chunks = Sample.chunks(Array(repeating: 500, count: 5))
        let excluded = try await ledger.write { transaction -> UInt32 in
            let list = try transaction.beginList(app: "news", name: "muted", now: .start)
            try transaction.appendChunks(Sample.chunks([3], firstToken: 10), to: list, now: .start)
            return try transaction.finishList(list, version: "1", duplicates: 0, now: .start).number
        }
        let new = Self.campaign(audience: .inline(chunks, version: "v", duplicates: 2), excluded: excluded)
        let number = try await ledger.accepted(new)
        #expect(try await !pass(number), "its lists are not there yet")
        try await prepare(number)
        #expect(try await pass(number))
        let campaign = try #require(try await ledger.read { try $0.liveInApp() }.first)
        let list = try #require(campaign.list)
        #expect(campaign.excludedList == excluded)
        let asked = [(campaign: number, list: list), (campaign: number, list: excluded)]
        for (token, expected) in [(0, [list]), (11, [list, excluded]), (2499, [list]), (2500, [])] {
            let found = try await ledger.read {
                try $0.inAppLists(asked, app: "news", provider: .apns, token: Sample.token(token))
            }
            #expect(found == Set(expected), "token \(token)")
        }
        let other = try await ledger.read {
            try $0.inAppLists(asked, app: "news", provider: ProviderName(rawValue: "fcm"), token: Sample.token(0))
        }
        #expect(other.isEmpty)
        #expect(try await ledger.status(number).audience == 0)
        // As long as a campaign uses the list, nobody can remove it.
        #expect(try await ledger.write { try $0.removeList(excluded) } == .used(by: "news/welcome"))
    }

    @Test(arguments: TestDatabase.all) func `of several displays the last one counts`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Self.campaign())
        #expect(try await pass(number))
        try await ledger.write { transaction in
            for second in [5, 9, 7] {
                try transaction.noteInAppDisplay(campaign: number, device: 1, at: .start + second)
            }
            try transaction.noteInAppDisplay(campaign: number + 1, device: 1, at: .start)
        }
        #expect(try await ledger.read { try $0.inAppDisplays(device: 1) } == [number: .start + 9])
        #expect(try await ledger.read { try $0.inAppDisplays(device: 2) } == [:])
    }

    @Test(arguments: TestDatabase.all) func `what is kept of it goes with it`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Self.campaign())
        #expect(try await pass(number))
        try await ledger.write { transaction in
            try transaction.countGiven((1...7).map { (number, Int64($0)) })
            try transaction.noteInAppDisplay(campaign: number, device: 1, at: .start)
            _ = try transaction.cancel(campaign: number, now: .start + 1)
        }
        let retention = Retention(
            campaigns: .seconds(60),
            outcomes: .seconds(60),
            lists: .seconds(60),
            parked: .seconds(60)
        )
        var rounds = 0
        func purge() async throws -> Bool {
            try await ledger.write { try $0.purge(campaign: number, retention, now: .start + 100, rowsMax: 3) }
        }
        while try await purge() {
            rounds += 1
            #expect(try await ledger.status(number).counts.accepted == 7)
        }
        #expect(rounds == 2)
        #expect(try await ledger.read { try $0.status(campaign: number, now: .start) } == nil)
    }
}
