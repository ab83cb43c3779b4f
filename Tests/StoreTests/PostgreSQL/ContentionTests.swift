#if PostgreSQL
import Campaigns
import Delivery
import Servers
import Synchronization
import Testing

@testable import Store

/// Several workers on one database at the same time.
@Suite(.fewLedgersAtOnce)
struct ContentionTests {
    private let scratch = ScratchLedger()

    @Test(arguments: [Ledger.WriteScope.shards, .ledger])
    func `of those that claim a shard at once one runs it`(_ scope: Ledger.WriteScope) async throws {
        let first = try scratch.open(on: .postgreSQL)
        let number = try await first.accepted(Sample.campaign([Int](repeating: 2, count: 60)))
        _ = try await first.planned(number)
        let ledgers = [first, try scratch.open(), try scratch.open()]
        let runs = try await withThrowingTaskGroup(of: UInt32?.self) { group in
            for (index, ledger) in ledgers.enumerated() {
                for step in 0..<UInt32(60) {
                    // In different orders, so that they meet.
                    let ordinal = index == 1 ? 59 - step : step
                    group.addTask {
                        let claim = Claim(
                            key: key(number, ordinal),
                            generation: 1,
                            redelivered: false,
                            worker: Int64(index + 1),
                            knowsApp: true
                        )
                        let result = try await ledger.write(scope: scope) { try $0.claim(claim, now: .start) }
                        #expect(result.decision == .run || result.decision == .drop)
                        return result.decision == .run ? ordinal : nil
                    }
                }
            }
            return try await group.reduce(into: [UInt32]()) { runs, ordinal in if let ordinal { runs.append(ordinal) } }
        }
        #expect(runs.sorted() == Array(0..<60))
    }

    @Test func `of those that look for campaigns at once one leases each`() async throws {
        let first = try scratch.open(on: .postgreSQL)
        for index in 0..<10 { _ = try await first.accepted(Sample.campaign(facts: Sample.facts(id: "c\(index)"))) }
        let ledgers = [first, try scratch.open(), try scratch.open()]
        let numbers = try await withThrowingTaskGroup(of: [UInt32].self) { group in
            for (index, ledger) in ledgers.enumerated() {
                group.addTask {
                    let found = try await ledger.write {
                        try $0.leaseCampaigns(worker: Int64(index + 1), apps: ["news"], now: .start)
                    }
                    return found.map(\.facts.number)
                }
            }
            return try await group.reduce(into: [UInt32]()) { $0 += $1 }
        }
        #expect(numbers.count == 10 && Set(numbers).count == 10)
    }

    /// Retry shards of one shard get their numbers from one row; dead tokens of one chunk share a row.
    @Test func `what is settled at once beside its siblings is all there`() async throws {
        let first = try scratch.open(on: .postgreSQL)
        let ledgers = [first, try scratch.open(), try scratch.open(), try scratch.open()]
        let number = try await first.accepted(Sample.campaign([Int](repeating: 40, count: 6)))
        try await first.write { try $0.db.run("UPDATE campaigns SET guard_passed = 1") }
        _ = try await first.planned(number)
        for ordinal in 0..<UInt32(6) {
            let (_, token) = try await first.running(key(number, ordinal))
            let progress = Progress.accepted(40) { progress in
                for position in 0..<32 {
                    let rung: Rung = [.seconds5, .seconds30, .minutes2, .minutes10][position / 8]
                    progress.retry(position, rung, Progress.Note(reason: "Busy"))
                }
            }
            let settlement = try Settlement.of(progress)
            _ = try await first.write { try $0.settle(token, settlement, now: .start) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for ordinal in 0..<UInt32(6) {
                for child in UInt32(1)...4 {
                    let ledger = ledgers[Int(child) - 1]
                    group.addTask { try await Self.finish(key(number, ordinal, child), in: ledger) }
                }
            }
            try await group.waitForAll()
        }
        let status = try await first.status(number)
        #expect(status.law == .holds)
        #expect(status.counts.accepted == 6 * 8 && status.counts.invalid == 6 * 4)
        #expect(status.pending.retrying == 6 * 28 && status.pending.total == 6 * 28)
        let marks = try await first.read { reader in
            let rows = try reader.db.rows("SELECT bits FROM chunk_dead ORDER BY ordinal")
            var counts: [Int] = []
            while try rows.next() { counts.append(rows.blob("bits").reduce(0) { $0 + $1.nonzeroBitCount }) }
            return counts
        }
        #expect(marks == [Int](repeating: 4, count: 6))
    }

    /// Ends a shard: one device is dead, all others go on to two rungs.
    private static func finish(_ key: ShardKey, in ledger: Ledger) async throws {
        let (record, token) = try await ledger.running(key, worker: Int64(key.child) + 10)
        var progress = Progress(count: record.count)
        for position in 0..<record.count {
            switch position {
            case 0: progress.end(position, .invalid, Progress.Note(reason: "Unregistered", deadSince: .start))
            case 1...3: progress.retry(position, .minutes30, Progress.Note(reason: "Busy"))
            default: progress.retry(position, .hours2, Progress.Note(reason: "Busy"))
            }
        }
        let settlement = try Settlement.of(progress, attempt: record.attempt)
        let result = try await ledger.write(.synced, scope: .shards) {
            try $0.settle(token, settlement, now: .start + 1)
        }
        guard case .settled(let children) = result, children.count == 2 else {
            Issue.record("\(key): \(result)")
            return
        }
    }

    @Test func `a lock that another keeps for too long is told as busy`() async throws {
        try scratch.open(on: .postgreSQL)
        let server = try PrivatePostgreSQL.shared.get()
        let url = server.url(try #require(scratch.database))
        let ledger = try Ledger.open(postgreSQL: url, create: false, timeout: .milliseconds(100))
        let address = try #require(PostgreSQLAddress(url))
        let other = try PostgreSQLConnection(address, lockTimeout: .seconds(1))
        let lock = "pg_advisory_xact_lock_shared(\(PostgreSQLSchema.lockClass), \(PostgreSQLSchema.writeLock))"
        try other.command("BEGIN; SELECT \(lock)")
        await #expect(throws: LedgerError.busy(path: ledger.path)) {
            try await ledger.write { try $0.eventsPublished([1]) }
        }
        try await ledger.write(scope: .shards) { try $0.eventsPublished([1]) }
        other.rollback()
        try await ledger.write { try $0.eventsPublished([1]) }
    }

    @Test func `a body that changes more than its shards is run again, alone`() async throws {
        let ledger = try scratch.open(on: .postgreSQL)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let runs = Mutex(0)
        func count(_ body: @escaping @Sendable (LedgerTransaction) throws -> Void) async throws -> Int {
            runs.withLock { $0 = 0 }
            try await ledger.write(scope: .shards) { transaction in
                runs.withLock { $0 += 1 }
                try body(transaction)
            }
            return runs.withLock { $0 }
        }
        #expect(try await count { try $0.eventsPublished([1]) } == 1)
        #expect(try await count { _ = try $0.reader.shard(key(number, 0)) } == 1)
        #expect(try await count { try $0.db.run("UPDATE campaigns SET guard_passed = 1") } == 2)
        let message = ParkedMessage(queue: "q", reason: "r", body: [1], at: .start)
        #expect(try await count { _ = try $0.park(message) } == 2)
    }
}
#endif
