import Campaigns
import Delivery
import Store
import Testing

/// Dry runs of orders.
@Suite(.fewLedgersAtOnce)
struct RehearsalTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    @Test(arguments: TestDatabase.all)
    func `a rehearsal tells what an order comes to, and leaves everything as it was`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        let tried = try await ledger.rehearse { try $0.cancel(campaign: number, by: "ben", now: .start) }
        guard case .done(let facts) = tried else { throw LedgerError.failed("\(tried)") }
        #expect(facts.stage == .cancelled)
        #expect(try await ledger.rehearse { try $0.pause(PauseScope(app: "news"), now: .start) })
        #expect(try await ledger.read { try $0.pauses() }.isEmpty)
        #expect(try await ledger.status(number).state != "cancelled")
        // Another change that waits for the same transaction is written all the same.
        async let written = ledger.write(.synced) { try $0.pause(PauseScope(app: "shop"), now: .start) }
        async let rehearsed = ledger.rehearse { try $0.pause(PauseScope(app: "news"), now: .start) }
        #expect(try await written)
        #expect(try await rehearsed)
        #expect(try await ledger.read { try $0.pauses() }.map(\.scope) == [PauseScope(app: "shop")])
    }

    @Test(arguments: TestDatabase.all)
    func `a test write succeeds on a ledger that takes writes, and leaves nothing`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let revision = try await ledger.read { try $0.revision() }
        for _ in 1...2 { try await ledger.testWrite() }
        #expect(try await ledger.read { try $0.revision() } == revision)
        #expect(ledger.metrics.failures == 0)
        _ = try await ledger.accepted()
    }

    @Test func `a test write tells a full disk, and no longer when there is room`() async throws {
        let ledger = try scratch.open()
        try await ledger.limitPages(growth: 0)
        await #expect(throws: LedgerError.full(path: scratch.path)) { try await ledger.testWrite() }
        try await ledger.limitPages(growth: 100_000)
        try await ledger.testWrite()
        _ = try await ledger.accepted()
    }

    @Test(arguments: TestDatabase.all)
    func `what a rehearsed body throws is thrown`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        await #expect(throws: LedgerError.failed("no")) {
            try await ledger.rehearse { _ in throw LedgerError.failed("no") }
        }
    }
}
