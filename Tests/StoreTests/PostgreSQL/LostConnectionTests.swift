#if PostgreSQL
import Campaigns
import Delivery
import Foundation
import Servers
import Synchronization
import Testing

@testable import Store

/// Every body is written exactly once, whatever happens to the connection.
@Suite(.timeLimit(.minutes(10)))
struct LostConnectionTests {
    private let scratch = ScratchLedger()

    /// Writes events whose correlation ids are numbers, many at a time.
    private func write(_ numbers: Range<Int>, to ledger: Ledger, scope: Ledger.WriteScope) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in numbers where first % 8 == 0 {
                group.addTask {
                    for number in first..<min(first + 8, numbers.upperBound) {
                        try await ledger.write(.synced, scope: scope) { try $0.note(number) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func expectOnce(_ numbers: Range<Int>, in ledger: Ledger) async throws {
        let events = try await ledger.read { try $0.events(limit: 100_000) }
        #expect(events.compactMap { Int($0.correlationID) }.sorted() == Array(numbers))
    }

    @Test(arguments: [Ledger.WriteScope.ledger, .shards])
    func `connections that are ended again and again lose and repeat nothing`(_ scope: Ledger.WriteScope) async throws {
        let server = try PrivatePostgreSQL.shared.get()
        try scratch.open(on: .postgreSQL)
        let name = try #require(scratch.database)
        // Each interrupted try costs a pause.
        let ledger = try Ledger.open(postgreSQL: server.url(name), create: false, timeout: .seconds(60))
        let counts = AsyncStream.makeStream(of: Int.self)
        let isWritten = Flag()
        // On its own thread: a task that waits for psql would take one of the few threads that all tasks share.
        Thread.detachNewThread {
            var count = 0
            while count < 10, !isWritten.isSet.load(ordering: .acquiring) {
                let list = try? server.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'"
                )
                count += list?.split(separator: "\n").count ?? 0
            }
            counts.continuation.yield(count)
            counts.continuation.finish()
        }
        defer { isWritten.isSet.store(true, ordering: .releasing) }
        try await write(0..<2000, to: ledger, scope: scope)
        isWritten.isSet.store(true, ordering: .releasing)
        #expect(await counts.stream.reduce(0, +) > 3)
        try await expectOnce(0..<2000, in: ledger)
    }

    @Test(arguments: [CommitRelay.Cut.before, .after])
    func `a commit without an answer is asked for, and its body runs again only if it is not there`(
        _ cut: CommitRelay.Cut
    ) async throws {
        let server = try PrivatePostgreSQL.shared.get()
        try scratch.open(on: .postgreSQL)
        let relay = try CommitRelay(to: server.port)
        defer { relay.end() }
        let name = try #require(scratch.database)
        let url = "postgresql://fanfare:p%40ss%20word@127.0.0.1:\(relay.port)/\(name)?sslmode=disable"
        let ledger = try Ledger.open(postgreSQL: url, create: false)
        try await ledger.write { try $0.note(0) }
        let runs = Mutex(0)
        for number in 1...5 {
            relay.cut(cut)
            try await ledger.write(.synced) { transaction in
                runs.withLock { $0 += 1 }
                try transaction.note(number)
            }
            #expect(!relay.isArmed)
        }
        #expect(runs.withLock { $0 } == (cut == .after ? 5 : 10))
        try await expectOnce(0..<6, in: ledger)
    }

    /// Before its first commit the writer's row is invisible: a mere look-up would report the body as not written.
    @Test(arguments: [1, 2])
    func `a commit that the server does after the question for it is written once, the first one too`(
        _ commit: Int
    ) async throws {
        let server = try PrivatePostgreSQL.shared.get()
        try scratch.open(on: .postgreSQL)
        let relay = try CommitRelay(to: server.port)
        defer { relay.end() }
        let name = try #require(scratch.database)
        let url = "postgresql://fanfare:p%40ss%20word@127.0.0.1:\(relay.port)/\(name)?sslmode=disable"
        let ledger = try Ledger.open(postgreSQL: url, create: false)
        for number in 1..<commit { try await ledger.write { try $0.note(number) } }
        relay.cut(.late)
        try await ledger.write(.synced) { try $0.note(commit) }
        #expect(!relay.isArmed)
        try await expectOnce(1..<commit + 1, in: ledger)
    }

    /// A blind repetition would find its own run and treat the message as a second copy.
    @Test func `a claim whose answer was lost is the run that it was`() async throws {
        let server = try PrivatePostgreSQL.shared.get()
        let first = try scratch.open(on: .postgreSQL)
        let number = try await first.accepted()
        _ = try await first.planned(number)
        let relay = try CommitRelay(to: server.port)
        defer { relay.end() }
        let name = try #require(scratch.database)
        let url = "postgresql://fanfare:p%40ss%20word@127.0.0.1:\(relay.port)/\(name)?sslmode=disable"
        let ledger = try Ledger.open(postgreSQL: url, create: false)
        relay.cut(.after)
        let (record, token) = try await ledger.running(key(number, 0))
        #expect(!relay.isArmed && record.epoch == 1)
        relay.cut(.after)
        let settlement = try Settlement.of(Progress.accepted(4) { $0.retry(1, .seconds5, Progress.Note(reason: "X")) })
        let result = try await ledger.write(.synced, scope: .shards) {
            try $0.settle(token, settlement, now: .start)
        }
        guard case .settled(let children) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(!relay.isArmed && children.count == 1)
        #expect(try await ledger.status(number).law == .holds)
    }

    @Test func `a server that is killed and started again goes on where it was`() async throws {
        let server = try PrivatePostgreSQL()
        defer { server.remove() }
        let url = server.url(try server.createDatabase())
        let ledger = try Ledger.open(postgreSQL: url, create: true, timeout: .seconds(60))
        async let written: Void = write(0..<3000, to: ledger, scope: .shards)
        for round in 1...3 {
            try await eventually("round \(round)") {
                try await ledger.read { try $0.events(limit: 4000).count } > round * 500
            }
            server.kill()
            try server.restart()
        }
        try await written
        try await expectOnce(0..<3000, in: ledger)
        await ledger.close()
    }

    @Test func `a server that is away fails writes and reads in time, and what waits is told when the ledger closes`()
        async throws
    {
        let server = try PrivatePostgreSQL()
        defer { server.remove() }
        let url = server.url(try server.createDatabase())
        let ledger = try Ledger.open(postgreSQL: url, create: true, timeout: .milliseconds(200))
        try await ledger.write { try $0.note(1) }
        server.stop()
        await #expect { try await ledger.write { try $0.note(2) } } throws: { $0.isDisconnected }
        await #expect { _ = try await ledger.read { try $0.revision() } } throws: { $0.isDisconnected }
        try server.restart()
        try await ledger.write { try $0.note(3) }
        let events = try await ledger.read { try $0.events(limit: 10) }
        #expect(events.map(\.correlationID) == ["1", "3"])
        server.stop()
        let late = Task { try await ledger.write { try $0.note(4) } }
        await ledger.close()
        await #expect(throws: LedgerError.self) { try await late.value }
    }

    @Test func `a server that takes no writes is told, and used again when it does`() async throws {
        let server = try PrivatePostgreSQL.shared.get()
        try scratch.open(on: .postgreSQL)
        let name = try #require(scratch.database)
        let ledger = try Ledger.open(postgreSQL: server.url(name), create: false, timeout: .milliseconds(200))
        try await ledger.write { try $0.note(1) }
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'"
        try server.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        try server.execute(end)
        await #expect(throws: LedgerError.readOnly(path: ledger.path)) { try await ledger.write { try $0.note(2) } }
        try server.execute("ALTER DATABASE \(name) RESET default_transaction_read_only")
        try await ledger.write { try $0.note(3) }
        try await expectOnce(1..<2, in: ledger, besides: 3)
    }

    private func expectOnce(_ numbers: Range<Int>, in ledger: Ledger, besides other: Int) async throws {
        let events = try await ledger.read { try $0.events(limit: 100) }
        #expect(events.compactMap { Int($0.correlationID) }.sorted() == Array(numbers) + [other])
    }
}

private final class Flag: Sendable {
    let isSet = Atomic(false)
}

extension LedgerTransaction {
    /// Writes a row that shows the number of repetitions.
    fileprivate func note(_ number: Int) throws(LedgerError) {
        try addEvent(correlationID: "\(number)") { _ in
            CampaignEvent(.accepted, app: "news", campaign: "derby", time: .start, data: .null)
        }
    }
}

extension Error {
    fileprivate var isDisconnected: Bool {
        if case .disconnected = self as? LedgerError { true } else { false }
    }
}
#endif
