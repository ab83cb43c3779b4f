import Campaigns
import Delivery
import Store
import Testing

/// The effects of a person's decision about a parked message on the rows and on the law.
@Suite(.fewLedgersAtOnce)
struct ParkedOrderTests {
    private let scratch = ScratchLedger()

    /// Parks two shards of four and two devices; returns the numbers of their entries.
    private func twoParked(_ ledger: Ledger) async throws -> (campaign: UInt32, ids: [Int64]) {
        let number = try await ledger.accepted(Sample.campaign([4, 2]))
        _ = try await ledger.planned(number)
        for ordinal in 0..<2 as Range<UInt32> {
            let (_, token) = try await ledger.running(key(number, ordinal))
            #expect(try await ledger.write { try $0.parkShard(token, reason: "LawViolated", now: .start) })
        }
        return (number, try await ledger.read { try $0.parkedIDs(ParkedFilter(), after: 0, limit: 10) })
    }

    private func carryOut(
        _ order: ParkedOrder,
        _ id: Int64,
        _ ledger: Ledger,
        now: Timestamp = .start
    ) async throws -> ParkedResult {
        let foreseen = try await ledger.read { try $0.foresee(order, id, now: now) }
        let result = try await ledger.write(.synced) { try $0.carryOut(order, id, now: now) }
        #expect(foreseen == result)
        return result
    }

    @Test(arguments: TestDatabase.all)
    func `a row that waits for a person is in the list, with its reason, campaign and devices`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        _ = try await twoParked(ledger)
        let list = try await ledger.read { try $0.parked(limit: 10) }
        #expect(list.map(\.devices).sorted { $0 ?? 0 < $1 ?? 0 } == [2, 4])
        #expect(list.allSatisfy { $0.reason == "LawViolated" && $0.app == "news" && $0.campaign == "derby" })
        #expect(list.allSatisfy { $0.queue == "fanfare.v1.work.apns.bulk" && $0.firstAt == .start })
    }

    @Test(arguments: TestDatabase.all) func `one is replayed and one discarded, and the law holds at every step`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let (number, ids) = try await twoParked(ledger)
        #expect(try await ledger.status(number).pending.parked == 6)
        #expect(try await carryOut(.replay, ids[0], ledger) == .publishedAnew)
        #expect(try await ledger.row(key(number, 0))?.generation == 2)
        var status = try await ledger.status(number)
        #expect(status.pending.held == 4 && status.pending.parked == 2 && status.law == .holds)
        let released = try await ledger.write {
            try $0.releaseAside(campaign: number, knowsApp: true, limit: 10, now: .start)
        }
        #expect(released.map(\.messageID) == ["\(number).0.0#2"])

        #expect(try await carryOut(.discard, ids[1], ledger) == .ended(.failed))
        status = try await ledger.status(number)
        #expect(status.counts.failed == 2 && status.reasons == ["Parked": 2] && status.law == .holds)
        #expect(try await carryOut(.discard, ids[1], ledger) == .missing)
        let (_, token) = try await ledger.running(key(number, 0), generation: 2)
        _ = try await ledger.write(.synced) { try $0.settle(token, .of(.accepted(4)), now: .start) }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start) }
        status = try await ledger.status(number)
        #expect(status.stage == .completed && status.counts.accepted == 4 && status.law == .holds)
        #expect(try await ledger.read { try $0.parkedCount() } == 0)
    }

    @Test(arguments: TestDatabase.all) func `the last discard completes the campaign`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let (number, ids) = try await twoParked(ledger)
        for id in ids { #expect(try await carryOut(.discard, id, ledger) == .ended(.failed)) }
        let status = try await ledger.status(number)
        #expect(status.stage == .completed && status.counts.failed == 6 && status.law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `what is replayed too late ends expired, and the entry of what ended by itself is gone`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let (number, ids) = try await twoParked(ledger)
        #expect(try await carryOut(.replay, ids[0], ledger, now: .start + 3600) == .ended(.expired))
        #expect(try await ledger.status(number).counts.expired == 4)
        _ = try await ledger.write { try $0.endDue(now: .start + 3600) }
        #expect(try await carryOut(.discard, ids[1], ledger, now: .start + 3601) == .missing)
        let status = try await ledger.status(number)
        #expect(status.counts.expired == 6 && status.counts.failed == 0 && status.law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `entries go with the rows that a cancel ends, and do not come back with their messages`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let (number, ids) = try await twoParked(ledger)
        // A message of the same campaign for which no row waits.
        let other = ParkedMessage(queue: "q", reason: "r", app: "news", campaign: "derby", body: [1], at: .start)
        let stays = try await ledger.write { try $0.park(other) }
        let message = try #require(try await ledger.read { try $0.parked(id: ids[0]) })
        let shard = try Shard(encoded: message.body)
        // The worker's message comes from the queue and is counted.
        try await ledger.write { try $0.park(message, shard: shard, now: .start) }
        #expect(try await ledger.read { try $0.parked(id: ids[0]) }?.count == 2)
        _ = try await ledger.write { try $0.cancel(campaign: number, now: .start) }
        #expect(try await ledger.read { try $0.parked(limit: 10) }.map(\.id) == [stays])
        try await ledger.write { try $0.park(message, shard: shard, now: .start) }
        #expect(try await ledger.read { try $0.parked(limit: 10) }.map(\.id) == [stays])
        let status = try await ledger.status(number)
        #expect(status.counts.cancelled == 6 && status.pending.parked == 0 && status.law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `a shard that the ledger does not know stays parked at a replay, and goes at a discard`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        var devices = DeviceBatch()
        devices.append(token: Sample.token(1))
        let shard = Shard(
            id: ShardID(key: ShardKey(campaign: 4711, part: 0, ordinal: 0)),
            generation: 1,
            attempt: 1,
            facts: Sample.facts(),
            firstIndex: 0,
            positions: [],
            devices: devices
        )
        let message = ParkedMessage(
            queue: "fanfare.v1.work.apns.bulk",
            reason: "UnknownCampaign",
            body: try shard.encoded(),
            at: .start
        )
        let id = try await ledger.write { try $0.park(message) }
        #expect(try await carryOut(.replay, id, ledger) == .kept(.unknownShard))
        #expect(try await ledger.read { try $0.parkedCount() } == 1)
        #expect(try await carryOut(.discard, id, ledger) == .removed)
        #expect(try await ledger.read { try $0.parkedCount() } == 0)
    }

    @Test(arguments: TestDatabase.all) func `a row waits with the message that the broker has taken out of its queue`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4, 2]))
        let shards = try await ledger.planned(number)
        try await ledger.write { try $0.markOut(shards.map { ($0.record.id.key, 1) }, now: .start) }
        let body = try shards[0].body()
        let message = ParkedMessage(
            queue: "fanfare.v1.work.apns.bulk",
            reason: "DeliveryLimit",
            body: body,
            at: .start
        )
        let shard = try Shard(encoded: body)
        try await ledger.write { try $0.park(message, shard: shard, now: .start) }
        let status = try await ledger.status(number)
        #expect(status.pending.parked == 4 && status.pending.queued == 2 && status.law == .holds)
        let id = try #require(try await ledger.read { try $0.parked(limit: 1) }.first?.id)
        #expect(try await carryOut(.replay, id, ledger) == .publishedAnew)
        // An old copy of it does not affect the planner's row.
        try await ledger.write { try $0.park(message, shard: shard, now: .start) }
        #expect(try await ledger.status(number).pending.held == 4)
    }

    @Test(arguments: TestDatabase.all) func `a job is for its producer's exchange, what nobody can read stays`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let job = ParkedMessage(queue: "fanfare.v1.campaigns", reason: "InvalidJob", body: [1], at: .start)
        let garbage = ParkedMessage(queue: "fanfare.v1.work.apns.bulk", reason: "MalformedShard", body: [1], at: .start)
        let ids = try await ledger.write { [try $0.park(job), try $0.park(garbage)] }
        #expect(try await carryOut(.replay, ids[0], ledger) == .job)
        #expect(try await carryOut(.replay, ids[1], ledger) == .kept(.unreadable))
        #expect(try await ledger.read { try $0.parkedCount() } == 2)
        for id in ids { #expect(try await carryOut(.discard, id, ledger) == .removed) }
    }
}
