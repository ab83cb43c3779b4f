import Campaigns
import Delivery
import Store
import Testing

/// `campaign set`: a new end, a new urgency.
@Suite(.fewLedgersAtOnce)
struct ChangingTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }
    private static let storage = Duration.seconds(30 * 86_400)

    private func setEnd(_ campaign: UInt32, _ end: NewEnd, now: Timestamp = .start) async throws -> LifeResult {
        try await ledger.write(.synced) {
            try $0.setEnd(campaign: campaign, end, storage: Self.storage, by: "ana", now: now)
        }
    }

    private func claim(_ key: ShardKey, now: Timestamp) async throws -> ClaimResult {
        let claim = Claim(key: key, generation: 1, redelivered: false, worker: 7, knowsApp: true)
        return try await ledger.write(scope: .shards) { try $0.claim(claim, now: now) }
    }

    @Test(arguments: TestDatabase.all) func `a new end is that of what lies in a queue, and of what is cut later`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4, 4, 4]))
        let first = try await ledger.planned(number, max: 2)
        #expect(try await claim(key(number, 0), now: .start).newEnd == nil)
        guard case .done(let facts) = try await setEnd(number, .at(.start + 7200)) else { throw LedgerError.failed("") }
        #expect(facts.expiresAt == .start + 7200 && facts.endChanges == 1)
        // The old end has passed, but the shard in the queue is still sent.
        let late = try await claim(key(number, 1), now: .start + 4000)
        #expect(late.decision == .run && late.newEnd == .start + 7200 && late.campaign?.endChanges == 1)
        let next = try await ledger.planned(number, now: .start + 4000)
        #expect(next.map(\.facts.expiresAt) == [.start + 7200])
        let again = try await ledger.read { try $0.shardToPublish(first[0].record.id.key) }
        #expect(again?.facts.expiresAt == .start + 7200)
        #expect(try await ledger.status(number).expiresAt == .start + 7200)
        // An earlier end is a change too.
        _ = try await setEnd(number, .at(.start + 4100), now: .start + 4000)
        let ended = try await ledger.write { try $0.endDue(now: .start + 4101).expired }
        #expect(ended == [number])
        #expect(try await ledger.status(number).counts.expired == 4)
        let kinds = try await ledger.read { try $0.history(campaign: number, now: .start) }.map(\.kind)
        #expect(kinds == [.accepted, .started, .changed, .changed, .expired])
    }

    @Test(arguments: TestDatabase.all) func `an end that cannot be changes nothing`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let release = NewCampaign.Release(sendAt: .start + 100)
        let number = try await ledger.accepted(Sample.campaign([4], release: release))
        let facts = try #require(try await ledger.read { try $0.campaign(number) })
        #expect(try await setEnd(number, .at(.start)) == .wrongEnd(facts, .past(.start)))
        #expect(try await setEnd(number, .at(.start + 100)) == .wrongEnd(facts, .beforeBegin(.start + 100)))
        let latest = Timestamp.start + 100 + 30 * 86_400
        #expect(try await setEnd(number, .at(latest + 1)) == .wrongEnd(facts, .beyondStorage(latest)))
        #expect(try await setEnd(number, .byZone(["": .start + 200])) == .wrongEnd(facts, .notByZone))
        #expect(try await ledger.read { try $0.campaign(number) } == facts)
        guard case .done = try await setEnd(number, .at(latest)) else { throw LedgerError.failed("not done") }
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: number, by: "ana", now: .start) }
        guard case .over = try await setEnd(number, .at(latest)) else { throw LedgerError.failed("not over") }
        #expect(try await setEnd(99, .at(latest)) == .unknown)
    }

    @Test(arguments: TestDatabase.all) func `what counted from fire ends at the instant instead`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let release = NewCampaign.Release(isHeld: true, seconds: 600)
        let number = try await ledger.accepted(Sample.campaign([4], release: release))
        _ = try await setEnd(number, .at(.start + 5000))
        guard
            case .done(let fired) = try await ledger.write(.synced, { try $0.fire(campaign: number, now: .start + 50) })
        else { throw LedgerError.failed("not fired") }
        #expect(fired.expiresAt == .start + 5000)
    }

    @Test(arguments: TestDatabase.all) func `each part may end by its own clock`(_ database: TestDatabase) async throws
    {
        try scratch.open(on: database)
        func part(_ zone: String?, _ begin: Int) -> NewPart {
            NewPart(timeZone: zone, times: PartTimes(releaseAt: .start + begin, expiresAt: .start + begin + 100))
        }
        var new = Sample.campaign(facts: Sample.facts(expiresAt: .start + 120))
        var builder = ListBuilder()
        for (number, zone) in ["a", nil].enumerated() {
            _ = builder.add(Device(token: "", timeZone: zone), token: Sample.token(number))
        }
        new.audience = .inline(builder.finish(), version: "v1", duplicates: 0)
        new.parts = [part("a", 20), part(nil, 0)]
        let number = try await ledger.accepted(new)
        _ = try await ledger.planned(number, now: .start + 30)
        _ = try await setEnd(number, .byZone(["a": .start + 400, "": .start + 300]))
        let status = try await ledger.status(number)
        #expect(status.parts.map(\.expiresAt) == [.start + 300, .start + 400] && status.expiresAt == .start + 400)
        var ends: [Timestamp?] = []
        for ordinal in 0..<UInt32(2) { ends.append(try await claim(key(number, ordinal), now: .start + 200).newEnd) }
        #expect(Set(ends) == [.start + 300, .start + 400])
        // An instant ends all parts, if they have begun by then.
        let facts = try #require(try await ledger.read { try $0.campaign(number) })
        #expect(try await setEnd(number, .at(.start + 10)) == .wrongEnd(facts, .beforeBegin(.start + 20)))
        _ = try await setEnd(number, .at(.start + 250))
        #expect(try await ledger.status(number).parts.map(\.expiresAt) == [.start + 250, .start + 250])
    }

    @Test(arguments: TestDatabase.all) func `a campaign whose end has come takes no other rate`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4], facts: Sample.facts(expiresAt: .start + 60)))
        let result = try await ledger.write(.synced) {
            try $0.setPace(campaign: number, Pace(perSecond: 4), now: .start + 60)
        }
        guard case .over = result else {
            Issue.record("\(result)")
            return
        }
        let history = try await ledger.read { try $0.history(campaign: number, now: .start) }
        #expect(history.allSatisfy { $0.kind != .changed })
    }

    @Test(arguments: TestDatabase.all) func `a new urgency is that of what is not published yet`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4, 4]))
        let first = try await ledger.planned(number, max: 1)
        #expect(first.map(\.lane.urgency) == [.bulk])
        for _ in 0..<2 {
            _ = try await ledger.write(.synced) {
                try $0.setUrgency(campaign: number, .urgent, by: "ana", now: .start + 1)
            }
        }
        #expect(try await ledger.planned(number, now: .start + 1).map(\.lane.urgency) == [.urgent])
        // Shards in the bulk lane are claimed there.
        let (_, token) = try await ledger.running(key(number, 0), now: .start + 2)
        #expect(try await ledger.write(.synced, { try $0.settle(token, .of(.accepted(4)), now: .start) }) != .fenced)
        let changes = try await ledger.read { try $0.history(campaign: number, now: .start) }.filter {
            $0.kind == .changed
        }
        #expect(changes.map(\.data) == [.object(["urgency": "urgent"])] && changes.map(\.actor) == ["ana"])
    }
}
