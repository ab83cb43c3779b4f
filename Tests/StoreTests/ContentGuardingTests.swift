import Campaigns
import Delivery
import Store
import Testing

/// The error-ratio guard in the ledger.
@Suite(.fewLedgersAtOnce)
struct ContentGuardingTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    /// Runs a shard to its end: the last `refused` of its devices fail because of the content.
    private func run(_ key: ShardKey, refused: Int) async throws {
        let (record, token) = try await ledger.running(key)
        var settlement = try Settlement.of(
            .accepted(record.count) { progress in
                for position in (record.count - refused)..<record.count {
                    progress.end(position, .failed, Progress.Note(reason: "BadTopic"))
                }
            }
        )
        settlement.contentFaults = refused
        let final = settlement
        guard
            case .settled = try await ledger.write(
                .synced,
                scope: .shards,
                { try $0.settle(token, final, now: .start) }
            )
        else { throw LedgerError.failed("not settled") }
    }

    private func planned(_ shards: Int) async throws -> UInt32 {
        let number = try await ledger.accepted(Sample.campaign(Array(repeating: 100, count: shards)))
        for _ in 0..<2 { _ = try await ledger.planned(number) }
        return number
    }

    private func resume(_ campaign: UInt32) async throws {
        _ = try await ledger.write(.synced) {
            try $0.resume(campaign: campaign, reason: .content, by: "ana", now: .start + 1)
        }
    }

    @Test(arguments: TestDatabase.all)
    func `most of two hundred answers pause the campaign, and what was answered stays counted`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await planned(8)
        // Shards without a fault are not counted.
        for ordinal in 0..<3 { try await run(key(number, UInt32(ordinal)), refused: 0) }
        try await run(key(number, 3), refused: 90)
        #expect(try await ledger.status(number).state == "sending")
        let straggler = try await ledger.running(key(number, 6))
        try await run(key(number, 4), refused: 20)
        let paused = try await ledger.status(number)
        #expect(paused.state == "paused" && paused.stateReason == "content")
        #expect(paused.counts.failed == 110 && paused.counts.accepted == 390 && paused.law == .holds)
        let history = try await ledger.read { try $0.history(campaign: number, now: .start) }
        #expect(history.last?.kind == .paused && history.last?.actor == "fanfare")
        #expect(history.last?.data["detail"]?.string == "110 of 200 devices, for example BadTopic")
        #expect(try await ledger.read { try $0.campaign(number) }?.contentTrips == 1)
        // Shards that ran when it was paused are counted but do not pause it again.
        var late = try Settlement.of(
            .accepted(100) { for index in 0..<100 { $0.end(index, .failed, Progress.Note(reason: "BadTopic")) } }
        )
        late.contentFaults = 100
        let final = late
        _ = try await ledger.write(.synced, scope: .shards) { try $0.settle(straggler.token, final, now: .start) }
        #expect(try await ledger.status(number).counts.failed == 210)
        #expect(try await ledger.read { try $0.campaign(number) }?.contentTrips == 1)
    }

    @Test(arguments: TestDatabase.all)
    func `resumed it goes on, pauses again after as many answers, and resumed twice goes on to its end`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await planned(10)
        for ordinal in 0..<2 { try await run(key(number, UInt32(ordinal)), refused: 80) }
        #expect(try await ledger.status(number).state == "paused")
        try await resume(number)
        try await run(key(number, 2), refused: 100)
        #expect(try await ledger.status(number).state == "sending")
        try await run(key(number, 3), refused: 100)
        #expect(try await ledger.status(number).state == "paused")
        try await resume(number)
        for ordinal in 4..<8 { try await run(key(number, UInt32(ordinal)), refused: 100) }
        #expect(try await ledger.status(number).state == "sending")
    }

    @Test(arguments: TestDatabase.all) func `a window with few refusals is forgotten`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await planned(8)
        for ordinal in 0..<4 { try await run(key(number, UInt32(ordinal)), refused: 10) }
        #expect(try await ledger.status(number).state == "sending")
        // If the first four were not forgotten, these would be too few.
        for ordinal in 4..<6 { try await run(key(number, UInt32(ordinal)), refused: 60) }
        #expect(try await ledger.status(number).state == "paused")
    }
}
