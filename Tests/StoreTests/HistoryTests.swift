import Campaigns
import Delivery
import Store
import Testing

/// The data of `campaign events`.
@Suite(.fewLedgersAtOnce)
struct HistoryTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func history(_ number: UInt32, after sequence: Int64 = 0) async throws -> [HistoryEntry] {
        try await ledger.read { try $0.history(campaign: number, after: sequence, now: .start + 1000) }
    }

    @Test(arguments: TestDatabase.all) func `a campaign's life is told in order, with who did what and why`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let release = NewCampaign.Release(isHeld: true, seconds: 600)
        let number = try await ledger.accepted(Sample.campaign([4], release: release))
        try await ledger.write(.synced) { transaction in
            for _ in 0..<2 { _ = try transaction.fire(campaign: number, by: "ana", now: .start + 1) }
            _ = try transaction.pause(campaign: number, by: "ben", now: .start + 2)
            _ = try transaction.pause(campaign: number, by: "ana", now: .start + 3)
            _ = try transaction.pause(campaign: number, reason: .content, detail: "BadTopic", now: .start + 4)
            for reason in AsideReason.endedByResume {
                _ = try transaction.resume(campaign: number, reason: reason, by: "ana", now: .start + 5)
            }
            _ = try transaction.setPace(campaign: number, Pace(perSecond: 5), by: "ana", now: .start + 6)
            _ = try transaction.setPace(campaign: number, nil, by: "ana", now: .start + 7)
        }
        for shard in try await ledger.planned(number, now: .start + 8) {
            let (record, token) = try await ledger.running(shard.record.id.key)
            let settlement = try Settlement.of(.accepted(record.count))
            _ = try await ledger.write(.synced) { try $0.settle(token, settlement, now: .start + 9) }
        }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start + 9) }
        let told = try await history(number)
        #expect(
            told.map(\.kind) == [
                .accepted, .fired, .paused, .paused, .resumed, .resumed, .changed, .changed, .started, .completed,
            ]
        )
        #expect(told.map(\.actor)[1...3] == ["ana", "ben", "fanfare"])
        #expect(told[3].data.text == #"{"reason":"content","detail":"BadTopic","reasons":["content","paused"]}"#)
        #expect(told[4].data["reasons"]?.array == ["paused"] && told[5].data["reasons"]?.array == [])
        #expect(told[7].data == .object(["per_second": .null]))
        #expect(told[0].at == .start && told[9].data["state"]?.string == "completed")
        #expect(try await history(number, after: told[8].sequence ?? 0).map(\.kind) == [.completed])
    }

    @Test(arguments: TestDatabase.all) func `what happened to the app meanwhile is told, and nothing of others`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await ledger.write(.synced) { transaction in
            _ = try transaction.pause(PauseScope(app: "news"), by: "ana", now: .start + -10)
            _ = try transaction.resume(PauseScope(app: "news"), by: "ana", now: .start + -5)
        }
        let number = try await ledger.accepted()
        try await ledger.write(.synced) { transaction in
            let trip = Breaker.Trip(reason: "ServiceUnavailable", since: .start + 1)
            _ = try transaction.tripBreaker(app: "news", provider: .apns, trip, now: .start + 1)
            _ = try transaction.tripBreaker(app: "shop", provider: .apns, trip, now: .start + 1)
            _ = try transaction.pause(PauseScope(urgency: .bulk), by: "ana", now: .start + 2)
            _ = try transaction.cancel(campaign: number, by: "ana", now: .start + 3)
            _ = try transaction.resume(PauseScope(), by: "ana", now: .start + 4)
        }
        let told = try await history(number)
        #expect(told.map(\.kind) == [.accepted, .appSuspended, .scopePaused, .cancelled, .completed])
        #expect(told[1].data["reason"]?.string == "ServiceUnavailable" && told[2].data["urgency"]?.string == "bulk")
        #expect(told[4].data["state"]?.string == "cancelled")
    }

    @Test(arguments: TestDatabase.all) func `a newer campaign is named, and parts are told by the clock`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        var old = Sample.campaign(facts: Sample.facts(id: "one"), identity: "1")
        old.collapseKey = [1]
        var new = Sample.campaign(facts: Sample.facts(id: "two"), identity: "2", firstToken: 100)
        (new.collapseKey, new.createdAt) = ([1], .start + 1)
        let first = try await ledger.accepted(old)
        let second = try await ledger.accepted(new, now: .start + 1)
        _ = try await ledger.write(.synced) {
            try $0.release(campaign: second, shared: .start + 2, now: .start + 2)
        }
        let told = try await history(first)
        #expect(told.map(\.kind) == [.accepted, .superseded, .completed] && told[1].data["by"]?.string == "two")

        func part(_ zone: String?, _ begin: Int) -> NewPart {
            NewPart(timeZone: zone, times: PartTimes(releaseAt: .start + begin, expiresAt: .start + begin + 100))
        }
        var zoned = Sample.campaign(facts: Sample.facts(id: "three"), identity: "3")
        var builder = ListBuilder()
        for (number, zone) in ["a", "b"].enumerated() {
            _ = builder.add(Device(token: "", timeZone: zone), token: Sample.token(number))
        }
        zoned.audience = .inline(builder.finish(), version: "v1", duplicates: 0)
        zoned.parts = [part("a", 20), part("b", 2000)]
        let third = try await ledger.accepted(zoned)
        let parts = try await history(third)
        #expect(parts.map(\.kind) == [.accepted, .partReleased] && parts[1].at == .start + 20)
        #expect(parts[1].sequence == nil && parts[1].data["time_zone"]?.string == "a")
    }

    @Test(arguments: TestDatabase.all) func `it goes with the campaign, and what is the app's as late`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        let retention = Retention(campaigns: .seconds(100))
        try await ledger.write(.synced) { transaction in
            _ = try transaction.pause(PauseScope(app: "news"), by: "ana", now: .start + 1)
            _ = try transaction.cancel(campaign: number, by: "ana", now: .start + 2)
        }
        #expect(try await ledger.write { try $0.purgeHistory(retention, now: .start + 100) } == 0)
        #expect(try await ledger.write { try $0.purgeHistory(retention, now: .start + 101) } == 1)
        #expect(try await history(number).map(\.kind) == [.accepted, .cancelled, .completed])
        while try await ledger.write(
            .normal,
            { try $0.purge(campaign: number, retention, now: .start + 200) }
        ) {}
        #expect(try await history(number).isEmpty)
    }
}
