import Campaigns
import Delivery
import Servers
import Store
import Testing

/// A finished campaign is marked in one transaction, and its rows are settled in pieces.
@Suite(.fewLedgersAtOnce) struct EndingTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    /// Returns a piece on a database so slow that its first step takes all the time.
    private static func slow() -> Piece { Piece(elapsed: { WorkPiece.aim }) }

    /// Plans shards that are all published, except the last, which a worker runs; further devices are unplanned.
    private func planned(_ shards: Int, unplanned: Int = 3) async throws -> (number: UInt32, running: RunToken) {
        let sizes = Array(repeating: 2, count: shards) + Array(repeating: 1, count: unplanned)
        let number = try await ledger.accepted(Sample.campaign(sizes))
        let planned = try await ledger.planned(number, max: shards)
        #expect(planned.count == shards)
        let run = try await ledger.running(try #require(planned.last).record.id.key)
        return (number, run.token)
    }

    private func claim(_ number: UInt32, _ ordinal: Int) async throws -> Claim.Decision {
        let claim = Claim(
            key: ShardKey(campaign: number, part: 0, ordinal: UInt32(ordinal)),
            generation: 1,
            redelivered: false,
            worker: 9,
            knowsApp: true
        )
        return try await ledger.write(.synced) { try $0.claim(claim, now: .start + 3600) }.decision
    }

    @Test(arguments: TestDatabase.all)
    func `C13: the law holds after each piece, whoever does it, and claims between find the campaign over`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (number, running) = try await planned(230)
        var (pieces, pending, expired): (Int, [Int], [UInt32]) = (0, [], [])
        var isMore = true
        while isMore {
            // Each piece is another process's: the previous one has died.
            let other = try scratch.open(create: false)
            let step = try await other.write(.synced) { transaction in
                var piece = Self.slow()
                return try transaction.endDue(now: .start + 3600, &piece)
            }
            await other.close()
            (isMore, pieces) = (step.isMore, pieces + 1)
            expired += step.expired
            let status = try await ledger.status(number, now: .start + 3600)
            #expect(status.law == .holds && status.pending.unplanned == 0 && status.completedAt == nil)
            pending.append(status.pending.total)
            guard isMore else { break }
            // One of the shards that no piece has reached is delivered.
            #expect(try await claim(number, 228 - pieces) == .end(.expired))
        }
        #expect(pieces == 5 && expired == [number])
        #expect(pending == pending.sorted(by: >) && pending.last == 2)
        // The running shard has its answers, however late.
        let settled = try await ledger.write(.synced) {
            try $0.settle(running, .of(.accepted(2)), now: .start + 3601)
        }
        #expect(settled == .settled(children: []))
        let step = try await ledger.write(.synced) { try $0.endDue(now: .start + 3601) }
        let status = try await ledger.status(number, now: .start + 3601)
        #expect(!step.isMore && step.expired.isEmpty && status.state == "completed" && status.law == .holds)
        #expect(status.counts.accepted == 2 && status.counts.expired == 461)
    }

    @Test(arguments: TestDatabase.all)
    func `a cancel marks all of a campaign at once, and who comes next settles the others`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (number, running) = try await planned(120)
        let result = try await ledger.write(.synced) { transaction in
            var piece = Self.slow()
            return try transaction.cancel(campaign: number, &piece, now: .start + 1)
        }
        guard case .done(let facts) = result else { throw LedgerError.failed("\(result)") }
        #expect(facts.stage == .cancelled)
        let marked = try await ledger.status(number)
        #expect(marked.counts.cancelled == 100 + 3 && marked.pending.total == 140 && marked.law == .holds)
        #expect(try await claim(number, 118) == .end(.cancelled))
        #expect(try await ledger.planned(number).isEmpty)
        while try await ledger.write(.synced, { try $0.endCampaign(number, now: .start + 2) }) {}
        let ended = try await ledger.status(number)
        #expect(ended.counts.cancelled == 241 && ended.pending.total == 2 && ended.law == .holds)
        _ = try await ledger.write(.synced) { try $0.settle(running, .of(.accepted(2)), now: .start + 3) }
        #expect(try await ledger.write(.synced) { try $0.endCampaign(number, now: .start + 4) } == false)
        #expect(try await ledger.status(number).completedAt == .start + 4)
    }

    @Test(arguments: TestDatabase.all)
    func `what has expired stays so when a clock goes back, and an operator moves its end no more`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (number, _) = try await planned(120)
        _ = try await ledger.write(.synced) { transaction in
            var piece = Self.slow()
            return try transaction.endDue(now: .start + 3600, &piece)
        }
        let facts = try #require(try await ledger.read { try $0.campaign(number) })
        #expect(facts.ending(at: .start) == .expired && !facts.mayPlan(at: .start))
        let moved = try await ledger.write(.synced) {
            try $0.setEnd(campaign: number, .at(.start + 9000), storage: .seconds(86_400), now: .start)
        }
        #expect(moved == .over(facts))
        while try await ledger.write(.synced, { try $0.endDue(now: .start).isMore }) {}
        let status = try await ledger.status(number, now: .start)
        #expect(status.counts.expired == 241 && status.pending.total == 2 && status.law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `entries of parked shards go with their rows, some in each piece`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign(Array(repeating: 1, count: 64)))
        for shard in try await ledger.planned(number) {
            let token = try await ledger.running(shard.record.id.key).token
            #expect(try await ledger.write(.synced) { try $0.parkShard(token, reason: "test", now: .start) })
        }
        // One whose parked entry is gone, and an entry of something else.
        let first = try #require(try await ledger.read { try $0.parked(limit: 1) }.first)
        _ = try await ledger.write(.synced) { try $0.removeParked(first) }
        let other = ParkedMessage(queue: "q", reason: "r", app: "news", campaign: "derby", body: [1], at: .start)
        let stays = try await ledger.write { try $0.park(other) }
        var (pieces, isMore) = (0, true)
        while isMore {
            isMore = try await ledger.write(.synced) { transaction in
                var piece = Self.slow()
                return try transaction.endDue(now: .start + 3600, &piece).isMore
            }
            #expect(try await ledger.status(number, now: .start + 3600).law == .holds)
            pieces += 1
        }
        #expect(pieces == 2)
        #expect(try await ledger.read { try $0.parked(limit: 100) }.map(\.id) == [stays])
        let status = try await ledger.status(number, now: .start + 3600)
        #expect(status.counts.expired == 64 && status.state == "completed")
    }

    @Test(arguments: TestDatabase.all)
    func `what was set aside is released in pieces, and what waits for something else keeps nobody waiting`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign(Array(repeating: 1, count: 140)))
        for (index, shard) in try await ledger.planned(number, max: 140).enumerated() {
            let token = try await ledger.running(shard.record.id.key).token
            // The first ones wait for the guard, which decides about them itself.
            let reason = index < 60 ? AsideReason.guard : .paused
            let progress = shard.record.progress
            _ = try await ledger.write(.synced) {
                try $0.setAside(token, reason: reason, progress: progress, now: .start)
            }
        }
        var released: [ShardID] = []
        while true {
            let shards = try await ledger.write(.synced) {
                try $0.releaseAside(campaign: number, knowsApp: true, limit: 200, now: .start)
            }
            if shards.isEmpty { break }
            released += shards.map(\.record.id)
        }
        #expect(released.map(\.key.ordinal) == Array(60..<140))
    }

    /// `FANFARE_FULL=1` prints the time that a million planned devices take to end, and the longest transaction.
    @Test(.enabled(if: FullSuite.isOn, "FANFARE_FULL=1 runs it"), arguments: TestDatabase.all)
    func `a million planned devices are cancelled in pieces`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        var builder = ListBuilder()
        var chunks = (0..<1_000_000).compactMap { builder.add(Device(token: ""), token: Sample.token($0)) }
        chunks += builder.finish()
        let list = try await ledger.write { try $0.beginList(app: "news", name: "fans", now: .start) }
        for start in stride(from: 0, to: chunks.count, by: 100) {
            let piece = Array(chunks[start..<min(start + 100, chunks.count)])
            try await ledger.write { try $0.appendChunks(piece, to: list, now: .start) }
        }
        _ = try await ledger.write(.synced) { try $0.finishList(list, version: "v1", duplicates: 0, now: .start) }
        var new = Sample.campaign()
        new.audience = .list(list)
        let number = try await ledger.accepted(new)
        // The guard needs some answers first.
        let first = try #require(try await ledger.planned(number, max: 1).first)
        let run = try await ledger.running(first.record.id.key)
        _ = try await ledger.write(.synced) { try $0.settle(run.token, .of(.accepted(500)), now: .start) }
        while try await !ledger.planned(number, max: 100).isEmpty {}
        let before = try await ledger.status(number)
        #expect(before.pending.queued == 999_500 && before.law == .holds)

        let writer = try scratch.open(create: false)
        let begun = ContinuousClock.now
        _ = try await writer.write(.synced) { try $0.cancel(campaign: number, now: .start + 1) }
        let marked = ContinuousClock.now
        var pieces = 1
        while try await writer.write(.synced, { try $0.endCampaign(number, now: .start + 1) }) { pieces += 1 }
        let ended = ContinuousClock.now
        let (whole, mark) = (ended - begun, marked - begun)
        print("\(database): 1,000,000 devices in \(whole), mark \(mark), \(pieces) pieces, \(writer.metrics.longest)")
        let after = try await ledger.status(number)
        #expect(after.counts.cancelled == 999_500 && after.pending.total == 0 && after.law == .holds)
        await writer.close()
    }
}
