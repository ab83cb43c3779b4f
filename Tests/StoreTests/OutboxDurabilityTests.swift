import Campaigns
import Delivery
import Synchronization
import Testing

@testable import Store

/// Tests that what is published is durable before: a message or an event that the ledger does not know after a power
/// loss would be parked, or its number would be another's.
@Suite(.fewLedgersAtOnce)
struct OutboxDurabilityTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    /// Runs a body as one that may be lost; returns its result and true if its commit was synced nevertheless.
    private func written<T: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws -> T
    ) async throws -> (result: T, isSynced: Bool) {
        let level = Mutex<Int64?>(nil)
        let result = try await ledger.write(.normal) { transaction in
            let now = try transaction.db.number("PRAGMA synchronous")
            level.withLock { $0 = now }
            return try body(transaction)
        }
        // 2 is FULL.
        return (result, level.withLock { $0 } == 2)
    }

    private func lease(_ campaign: UInt32) async throws -> LeaseToken {
        let leased = try await ledger.write { try $0.leaseCampaigns(worker: 1, apps: ["news"], now: .start) }
        return try #require(leased.first { $0.facts.number == campaign }).token
    }

    @Test func `D15: a cut is synced`() async throws {
        try scratch.open(on: .sqlite)
        let lease = try await lease(try await ledger.accepted())
        let (result, isSynced) = try await written { try $0.plan(lease, shardsMax: 9, now: .start) }
        guard case .planned(let shards) = result else { throw LedgerError.failed("not planned: \(result)") }
        #expect(shards.count == 3 && isSynced)
    }

    @Test func `D15: turns are synced`() async throws {
        try scratch.open(on: .sqlite)
        var new = Sample.campaign([30])
        new.pace = Pace(perSecond: 40)
        let lease = try await lease(try await ledger.accepted(new))
        let (step, isSynced) = try await written { try $0.givePacedTurns(lease, appPace: nil, now: .start) }
        #expect(!step.shards.isEmpty && isSynced)
    }

    @Test func `D15: rows that were set aside are released synced, and confirms are not synced`() async throws {
        try scratch.open(on: .sqlite)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        _ = try await ledger.write(.synced) { try $0.pause(campaign: number, now: .start) }
        let claim = Claim(key: key(number, 0), generation: 1, redelivered: false, worker: 7, knowsApp: true)
        let claimed = try await ledger.write(scope: .shards) { try $0.claim(claim, now: .start) }
        #expect(claimed.decision == .setAside(.paused))
        _ = try await ledger.write(.synced) { try $0.resume(campaign: number, now: .start) }
        let released = try await written {
            try $0.releaseAside(campaign: number, knowsApp: true, limit: 9, now: .start)
        }
        #expect(released.result.count == 1 && released.isSynced)
        let confirmed = try await written { try $0.markOut([(key(number, 1), 1)], now: .start) }
        #expect(!confirmed.isSynced)
    }

    @Test func `D15: a lost message is raised synced`() async throws {
        try scratch.open(on: .sqlite)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        try await ledger.write { try $0.markOut([(key(number, 0), 1)], now: .start) }
        let out = try #require(try await ledger.read { try $0.shard(key(number, 0)) })
        let (raised, isSynced) = try await written { try $0.raiseGeneration([out], now: .start + 901) }
        #expect(raised.count == 1 && isSynced)
    }

    @Test func `D15: an event is synced, and a lease with nothing to end is not`() async throws {
        try scratch.open(on: .sqlite)
        let number = try await ledger.accepted()
        #expect(try await !written { try $0.endDue(now: .start) }.isSynced)
        let (step, isSynced) = try await written { try $0.endDue(now: .start + 7200) }
        #expect(step.expired == [number] && isSynced)
    }
}
