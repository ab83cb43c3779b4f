import Campaigns
import Delivery
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct AcceptanceTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    @Test(arguments: TestDatabase.all)
    func `C3: the same job again is the campaign that exists, another one a conflict`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        let again = try await ledger.write { try $0.accept(Sample.campaign(), now: .start + 5) }
        guard case .existing(let facts, let audience) = again else {
            Issue.record("\(again)")
            return
        }
        #expect(facts.number == number)
        #expect(audience == 10)
        let other = try await ledger.write { try $0.accept(Sample.campaign(identity: "other"), now: .start + 5) }
        #expect(other == .conflict(facts))
        #expect(try await ledger.status(number).acceptedAt == .start)
        let identity = Array("job".utf8)
        let holder = try await ledger.read { try $0.holder(app: "news", id: "derby") }
        #expect(holder == .campaign(number: number, identity: identity))
    }

    @Test(arguments: TestDatabase.all)
    func `an id is an app's own, and one that two apps have must be said with the app`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let first = try await ledger.accepted()
        let second = try await ledger.accepted(Sample.campaign(facts: Sample.facts(app: "shop")))
        #expect(first != second)
        await #expect(throws: LedgerError.ambiguous(id: "derby", apps: ["news", "shop"])) {
            try await ledger.read { try $0.status(app: nil, id: "derby", now: .start) }
        }
        let status = try await ledger.read { try $0.status(app: "shop", id: "derby", now: .start) }
        #expect(status?.number == second)
        #expect(try await ledger.read { try $0.campaignNumber(app: nil, id: "none") } == nil)
    }

    @Test(arguments: TestDatabase.all) func `acceptance writes its event in the same transaction`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        _ = try await ledger.accepted()
        let events = try await ledger.read { try $0.events(limit: 10) }
        #expect(events.map(\.routingKey) == ["news.campaign.accepted"])
        #expect(events.map(\.correlationID) == ["message-1"])
        try await ledger.write { try $0.eventsPublished(events.map(\.sequence)) }
        #expect(try await ledger.read { try $0.events(limit: 10) }.isEmpty)
    }

    @Test(arguments: TestDatabase.all) func `a refusal never touches a campaign, and an acceptance takes its place`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        func refuse() async throws -> Bool {
            try await ledger.write { transaction in
                try transaction.refuse(
                    app: "news",
                    id: "derby",
                    document: [1],
                    correlationID: "m",
                    now: .start
                ) { sequence in
                    CampaignEvent(
                        .refused,
                        app: "news",
                        campaign: "derby",
                        sequence: sequence,
                        time: .start,
                        data: .null
                    )
                }
            }
        }
        #expect(try await refuse())
        #expect(try await ledger.read { try $0.refusal(app: "news", id: "derby") } == [1])
        #expect(try await ledger.read { try $0.refusedJob(app: nil, id: "derby") }?.app == "news")
        let number = try await ledger.accepted()
        #expect(try await ledger.read { try $0.refusal(app: "news", id: "derby") } == nil)
        #expect(try await !refuse())
        #expect(try await ledger.read { try $0.refusal(app: "news", id: "derby") } == nil)
        #expect(try await ledger.status(number).stage == .scheduled)
    }

    @Test(arguments: TestDatabase.all) func `repeated devices count as skipped from the start`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([3], duplicates: 2))
        let status = try await ledger.status(number)
        #expect(status.audience == 5)
        #expect(status.counts.skipped == 2)
        #expect(status.pending.unplanned == 3)
        #expect(status.reasons == ["Duplicate": 2])
        #expect(status.law == .holds)
        #expect(status.tags == ["sport"])
        #expect(status.metadata == ["run": "1"])
        #expect(status.stateReason == "no worker has credentials for news")
    }

    @Test(arguments: TestDatabase.all) func `a campaign to a list keeps the version that it was accepted with`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        func upload(_ version: String, _ sizes: [Int]) async throws -> UInt32 {
            try await ledger.write { transaction in
                let list = try transaction.beginList(app: "news", name: "fans", now: .start)
                try transaction.appendChunks(Sample.chunks(sizes), to: list, now: .start)
                return try transaction.finishList(list, version: version, duplicates: 0, now: .start).number
            }
        }
        var new = Sample.campaign()
        new.audience = .list(try await upload("v1", [3, 3]))
        let number = try await ledger.accepted(new)
        _ = try await upload("v2", [9])
        #expect(try await ledger.planned(number).map(\.record.count) == [3, 3])
        #expect(try await ledger.status(number).audience == 6)
    }

    @Test(arguments: TestDatabase.all)
    func `the short way writes the campaign with its shards running, and a repeat claims them`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let new = Sample.campaign([4, 2], facts: Sample.facts(urgency: .urgent))
        let (acceptance, shards) = try await ledger.write(.synced) {
            try $0.acceptClaimed(new, worker: 7, now: .start)
        }
        guard case .accepted(let number, 6) = acceptance else {
            Issue.record("\(acceptance)")
            return
        }
        #expect(shards.map(\.record.state) == [.running, .running])
        #expect(shards.map(\.record.epoch) == [1, 1])
        #expect(try await ledger.status(number).pending.sending == 6)

        // The worker dies; the campaign's message goes to another one.
        #expect(try await ledger.read { try $0.fastPathShards(campaign: number) }.count == 2)
        let repeated = try await ledger.write(.synced) { try $0.acceptClaimed(new, worker: 8, now: .start + 1) }
        guard case .existing = repeated.acceptance, repeated.shards.isEmpty else {
            Issue.record("\(repeated)")
            return
        }
        let open = try await ledger.read { try $0.openShards(campaign: number) }
        #expect(open.count == 2)
        for row in open {
            let claim = Claim(key: row.id.key, generation: 1, redelivered: true, worker: 8, knowsApp: true)
            let result = try await ledger.write(scope: .shards) { try $0.claim(claim, now: .start + 1) }
            #expect(result.decision == .run)
            #expect(result.record?.epoch == 2)
            #expect(result.deaths == 0)
        }
        let late = RunToken(key: key(number, 0), epoch: 1, worker: 7)
        let settlement = try Settlement.of(.accepted(4))
        #expect(try await ledger.write(scope: .shards) { try $0.settle(late, settlement, now: .start + 2) } == .fenced)
    }

    @Test(arguments: TestDatabase.all)
    func `a campaign that was accepted the ordinary way has shards with messages of their own`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4], facts: Sample.facts(urgency: .urgent)))
        _ = try await ledger.planned(number)
        _ = try await ledger.running(key(number, 0))
        #expect(try await ledger.read { try $0.fastPathShards(campaign: number) }.isEmpty)
    }
}
