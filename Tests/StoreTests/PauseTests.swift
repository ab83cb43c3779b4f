import Campaigns
import Delivery
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct PauseTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func facts(_ campaign: UInt32) async throws -> CampaignFacts {
        try #require(try await ledger.read { try $0.campaign(campaign) })
    }

    private func pause(_ scope: PauseScope) async throws -> Bool {
        try await ledger.write(.synced) { try $0.pause(scope, now: .start) }
    }

    private func resume(_ scope: PauseScope) async throws -> [PauseScope] {
        try await ledger.write(.synced) { try $0.resume(scope, now: .start) }.map(\.scope)
    }

    @Test(arguments: TestDatabase.all)
    func `a pause holds back what fits in all of its words, also what is accepted later`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let bulk = try await ledger.accepted()
        #expect(try await pause(PauseScope(app: "news", urgency: .bulk)))
        #expect(try await !pause(PauseScope(app: "news", urgency: .bulk)))
        let urgent = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: "goal", urgency: .urgent)))
        let other = try await ledger.accepted(Sample.campaign(facts: Sample.facts(app: "shop", id: "sale")))
        let later = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: "final")))
        var held: [UInt32] = []
        for number in [bulk, urgent, other, later] where try await facts(number).pauseReasons == [.suspended] {
            held.append(number)
        }
        #expect(held == [bulk, later])
        #expect(try await ledger.planned(bulk).isEmpty)
        #expect(try await !ledger.planned(urgent).isEmpty)
        #expect(try await ledger.status(bulk).state == "paused")
        #expect(try await ledger.status(bulk).stateReason == "suspended")
    }

    @Test(arguments: TestDatabase.all)
    func `a shard that is claimed meanwhile waits, and goes on afterwards`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        let shards = try await ledger.planned(number)
        _ = try await pause(PauseScope(provider: .apns))
        let key = shards[0].record.id.key
        let claim = Claim(key: key, generation: 1, redelivered: false, worker: 7, knowsApp: true)
        let result = try await ledger.write(.synced) { try $0.claim(claim, now: .start) }
        #expect(result.decision == .setAside(.suspended))
        let early = try await ledger.write(.synced) {
            try $0.releaseAside(campaign: number, knowsApp: true, limit: 9, now: .start)
        }
        #expect(early.isEmpty)
        #expect(try await resume(PauseScope()) == [PauseScope(provider: .apns)])
        let released = try await ledger.write(.synced) {
            try $0.releaseAside(campaign: number, knowsApp: true, limit: 9, now: .start)
        }
        #expect(released.map(\.record.id.key) == [key])
    }

    @Test(arguments: TestDatabase.all)
    func `resume ends what it covers, and neither a wider pause nor a campaign's own`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await pause(PauseScope())
        _ = try await pause(PauseScope(app: "news", urgency: .bulk))
        _ = try await ledger.write(.synced) { try $0.pause(campaign: number, now: .start) }
        #expect(try await resume(PauseScope(app: "news")) == [PauseScope(app: "news", urgency: .bulk)])
        #expect(try await ledger.read { try $0.pauses() }.map(\.scope) == [PauseScope()])
        #expect(try await facts(number).pauseReasons == [.suspended, .paused])
        #expect(try await resume(PauseScope()) == [PauseScope()])
        #expect(try await facts(number).pauseReasons == [.paused])
    }
}
