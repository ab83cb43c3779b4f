import Campaigns
import Delivery
import Store
import Testing

/// Campaigns with devices of several providers: planned, sent and shown as one.
@Suite(.fewLedgersAtOnce)
struct ProviderTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    @Test(arguments: TestDatabase.all)
    func `each provider is cut by itself, with its own lane and content, the same at every publish`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.mixed(duplicates: 1))
        let fcm = try await ledger.planned(number, .fcm)
        #expect(fcm.map(\.record.count).sorted() == [3, 5] && fcm.allSatisfy { $0.lane.description == "fcm.bulk" })
        let apns = try await ledger.planned(number, .apns)
        #expect(apns.map(\.record.count).sorted() == [2, 4] && apns.allSatisfy { $0.lane.description == "apns.bulk" })
        for shard in apns + fcm {
            let provider = shard.facts.provider
            #expect(shard.facts.payload == Array(#"{"to":"\#(provider.rawValue)"}"#.utf8))
            #expect(shard.facts.priority == (provider == .apns ? 10 : 5))
            #expect(shard.facts.collapseID == (provider == .apns ? "score" : ""))
            #expect(shard.facts.expiresAt == .start + 3600)
            let again = try await ledger.read { try $0.shardToPublish(shard.record.id.key) }
            #expect(try again?.body() == shard.body())
        }
        for shard in apns + fcm { try await ledger.ran(shard) }
        #expect(try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start) } == .completed)
        let status = try await ledger.status(number)
        #expect(status.audience == 15 && status.counts.accepted == 14 && status.counts.skipped == 1)
        #expect(status.providers.map(\.provider.rawValue) == ["apns", "fcm"])
        #expect(status.of(.apns).audience == 6 && status.of(.apns).counts.accepted == 6)
        #expect(status.of(.fcm).audience == 8 && status.of(.fcm).counts.accepted == 8)
        #expect(status.law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `what is pending is counted by provider, and the window by lane`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.mixed())
        let fcm = try await ledger.planned(number, .fcm, max: 1)
        #expect(try await ledger.lease(number, .fcm)?.unplannedChunks == 1)
        #expect(try await ledger.lease(number, .apns)?.unplannedChunks == 2)
        let lanes = try await ledger.read { try $0.windowUse() }.map { "\($0.lane) \($0.firstAttempts)" }
        #expect(lanes == ["fcm.bulk 1"])
        _ = try await ledger.claimed(try #require(fcm.first))
        let status = try await ledger.status(number)
        #expect(status.of(.fcm).pending.sending == 3 && status.of(.fcm).pending.unplanned == 5)
        #expect(status.of(.apns).pending.unplanned == 6 && status.of(.apns).pending.total == 6)
        #expect(status.parts.map(\.provider) == [.apns, .fcm] && status.parts.map(\.unplanned) == [6, 5])
        #expect(status.parts.allSatisfy { $0.releaseAt == .start && $0.expiresAt == .start + 3600 })
        #expect(status.law == .holds && status.state == "sending")
    }

    @Test(arguments: TestDatabase.all) func `a cancel counts the rest of each provider`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.mixed())
        _ = try await ledger.planned(number, .fcm, max: 1)
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: number, now: .start + 1) }
        let status = try await ledger.status(number)
        #expect(status.of(.apns).counts.cancelled == 6 && status.of(.fcm).counts.cancelled == 8)
        #expect(status.pending.total == 0 && status.law == .holds && status.state == "cancelled")
    }

    @Test(arguments: TestDatabase.all) func `parts are by provider and time zone`(_ database: TestDatabase) async throws
    {
        try scratch.open(on: database)
        func part(_ zone: String, _ begin: Int) -> NewPart {
            NewPart(timeZone: zone, times: PartTimes(releaseAt: .start + begin, expiresAt: .start + begin + 100))
        }
        var new = Sample.mixed(facts: Sample.facts(expiresAt: .start + 110))
        let groups: [(ProviderName, Int)] = [(.apns, 4), (.fcm, 3), (.fcm, 2), (.apns, 5), (.fcm, 1)]
        new.audience = .inline(Sample.chunks(groups, zones: ["a", "b"]), version: "v1", duplicates: 0)
        new.parts = [part("a", 10), part("b", 0)]
        let number = try await ledger.accepted(new)
        #expect(try await ledger.planned(number, .fcm).map(\.record.count) == [3])
        #expect(try await ledger.planned(number, .apns).map(\.record.count) == [5])
        #expect(try await ledger.planned(number, .apns).isEmpty)
        let later = try await ledger.planned(number, .fcm, now: .start + 10)
        #expect(later.map(\.record.count) == [2, 1] && later.allSatisfy { $0.facts.expiresAt == .start + 110 })
        let status = try await ledger.status(number, now: .start + 10)
        let parts = status.parts.map { "\($0.timeZone ?? "") \($0.provider?.rawValue ?? "") \($0.devices)" }
        #expect(parts == ["b apns 5", "b fcm 3", "a apns 4", "a fcm 3"])
        #expect(status.law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `a device without a content for its provider is never accepted`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        var new = Sample.mixed()
        new.contents = []
        await #expect(throws: LedgerError.self) { _ = try await ledger.accepted(new) }
        new.contents = [Sample.content(.apns)]
        await #expect(throws: LedgerError.self) { _ = try await ledger.accepted(new) }
    }

    @Test(arguments: TestDatabase.all) func `the end of a campaign of two providers can be changed`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.mixed())
        let first = try #require(try await ledger.planned(number, .fcm, max: 1).first)
        let result = try await ledger.write(.synced) {
            try $0.setEnd(campaign: number, .at(.start + 60), storage: .seconds(86_400), now: .start)
        }
        guard case .done = result else { throw LedgerError.failed("\(result)") }
        #expect(try await ledger.claimed(first).newEnd == .start + 60)
        #expect(try await ledger.planned(number, .apns).allSatisfy { $0.facts.expiresAt == .start + 60 })
        #expect(try await ledger.status(number).parts.allSatisfy { $0.expiresAt == .start + 60 })
        #expect(try await ledger.write(.synced) { try $0.endDue(now: .start + 61).expired } == [number])
        #expect(try await ledger.status(number).law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `a worker that asks lives, although it was frozen for so long that its row has lapsed`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let worker = try await ledger.write {
            try $0.registerWorker(name: "w", roles: [], accounts: .apns(["news"]), now: .start)
        }
        let later = Timestamp.start.advanced(by: .seconds(20))
        #expect(try await ledger.read { try $0.liveAccounts(now: later) } == AppAccounts())
        #expect(try await ledger.read { try $0.liveAccounts(now: later, asking: worker) } == .apns(["news"]))
    }

    @Test(arguments: TestDatabase.all)
    func `what a worker of before has written is of APNs`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4]))
        _ = try await ledger.write {
            try $0.registerWorker(name: "w", roles: [], accounts: AppAccounts(["news": [.fcm]]), now: .start)
        }
        #expect(try await ledger.read { try $0.liveAccounts(now: .start) } == AppAccounts(["news": [.fcm]]))
        try scratch.execute("UPDATE worker_apps SET providers = NULL; UPDATE lists SET providers = NULL")
        #expect(try await ledger.read { try $0.liveAccounts(now: .start) } == AppAccounts(["news": [.apns]]))
        #expect(try await ledger.read { try $0.providers(list: 1) } == [.apns])
        let status = try await ledger.status(number)
        #expect(status.of(.apns).audience == 4 && status.providers.count == 1)
    }
}
