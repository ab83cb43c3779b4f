import Campaigns
import Delivery
import GRDB
import Synchronization
import Testing

@testable import Store

/// The statements of a claim, a save and an end, each of which is a round trip to PostgreSQL.
@Suite(.fewLedgersAtOnce)
struct StatementCountTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    /// Runs a body in its own transaction and counts its statements.
    private func statements(_ body: @escaping @Sendable (LedgerTransaction) throws -> Void) async throws -> Int {
        try await ledger.write(.synced) { transaction in
            #if PostgreSQL
            if let connection = transaction.db as? PostgreSQLConnection {
                let before = connection.statements
                try body(transaction)
                return connection.statements - before
            }
            #endif
            let connection = try #require(transaction.db as? Database)
            let counter = Counter()
            connection.trace { _ in counter.increment() }
            defer { connection.trace(options: []) }
            try body(transaction)
            return counter.count
        }
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)
        var count: Int { value.load(ordering: .relaxed) }
        func increment() { value.wrappingAdd(1, ordering: .relaxed) }
    }

    private func claims(
        _ key: ShardKey,
        redelivered: Bool = false,
        worker: Int64 = 7,
        now: Timestamp = .start
    ) async throws
        -> Int
    {
        let claim = Claim(key: key, generation: 1, redelivered: redelivered, worker: worker, knowsApp: true)
        return try await statements { _ = try $0.claim(claim, now: now) }
    }

    @Test(arguments: TestDatabase.all) func `a claim, a save and an end cost as many statements as ever`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4, 4, 4, 4, 4]))
        _ = try await ledger.planned(number)

        // The row, its campaign, the row.
        #expect(try await claims(key(number, 0)) == 3)
        #expect(try await claims(key(number, 1)) == 3)
        // The row, its worker, its campaign; nothing is written for a second copy.
        #expect(try await claims(key(number, 0)) == 3)
        // The row, its worker, its campaign, the possibly sent devices, the row.
        #expect(try await claims(key(number, 0), redelivered: true, worker: 8) == 5)

        let token = RunToken(key: key(number, 0), epoch: 2, worker: 8)
        let progress = Progress.accepted(4)
        #expect(try await statements { _ = try $0.saveProgress([(token, progress)]) } == 1)
        #expect(try await statements { try $0.abandon(token, progress) } == 2)
        #expect(try await statements { try $0.giveUp(token) } == 1)

        // The row, its campaign, the row, the guard's count and check.
        let second = RunToken(key: key(number, 1), epoch: 1, worker: 7)
        let accepted = try Settlement.of(progress)
        #expect(try await statements { _ = try $0.settle(second, accepted, now: .start) } == 5)
        // A fenced one reads its row.
        #expect(try await statements { _ = try $0.settle(second, accepted, now: .start) } == 1)

        // Two rows follow: the last number, and each of them.
        let (_, third) = try await ledger.running(key(number, 2))
        let mixed = try Settlement.of(
            .accepted(4) {
                $0.retry(1, .seconds5, Progress.Note(reason: "Shutdown"))
                $0.hold(2, Progress.Note(reason: "BadDeviceToken"))
            }
        )
        #expect(try await statements { _ = try $0.settle(third, mixed, now: .start) } == 8)

        // The row, its campaign, the known outcomes, the row.
        let (_, fourth) = try await ledger.running(key(number, 3))
        #expect(
            try await statements {
                _ = try $0.setAside(fourth, reason: .handOver, progress: progress, now: .start)
            } == 4
        )
        // The row, its campaign, the row.
        #expect(try await claims(key(number, 4), now: .start + 7200) == 3)
    }
}
