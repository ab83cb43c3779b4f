import Campaigns
import Delivery
import Dispatch
import Foundation
import GRDB
import Logging
import Synchronization
import Testing

@testable import Store

@Suite(.fewLedgersAtOnce)
struct WriterTests {
    private let scratch = ScratchLedger()

    private struct Mistake: Error {}

    private static let hour = CommitPause(least: .seconds(3600), most: .seconds(3600))

    @Test(arguments: TestDatabase.all) func `one body that fails does not hurt the others that share its transaction`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let results = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<40 {
                group.addTask {
                    do {
                        try await ledger.write { transaction in
                            _ = try transaction.registerWorker(
                                name: "w\(index)",
                                roles: [],
                                accounts: .apns(["a\(index)"]),
                                now: .start
                            )
                            if index % 5 == 0 { throw Mistake() }
                        }
                        return true
                    } catch { return false }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(results == 32)
        let apps = try await ledger.read { try $0.liveApps(now: .start) }
        #expect(apps.count == 32)
        #expect(!apps.contains("a5"))
    }

    @Test(arguments: TestDatabase.all) func `bodies that wait are committed together and in their order`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let order = Mutex<[Int]>([])
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            for index in 0..<100 {
                ledger.submit(index == 50 ? .synced : .normal) { _ in
                    order.withLock { $0.append(index) }
                } completion: { _ in
                    if index == 99 { waiter.resume() }
                }
            }
        }
        #expect(order.withLock { $0 } == Array(0..<100))
    }

    @Test(arguments: TestDatabase.all) func `bodies run on a thread whose name the system shows`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let name = try await ledger.write { _ in
            try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        }
        #expect(name == "ledger\n")
    }

    @Test(arguments: TestDatabase.all)
    func `what was submitted before the end is done, what comes later is refused, and closing twice is well`(
        _ database: TestDatabase
    )
        async throws
    {
        let ledger = try scratch.open(on: database)
        let done = Mutex(0)
        for _ in 0..<20 {
            ledger.submit { _ in
            } completion: { result in
                if case .success = result { done.withLock { $0 += 1 } }
            }
        }
        await ledger.close()
        #expect(done.withLock { $0 } == 20)
        await #expect(throws: LedgerError.closed) { try await ledger.write { _ in } }
        await ledger.close()
    }

    @Test(arguments: TestDatabase.all)
    func `what can wait is committed with what cannot, and a rest ends when the ledger is closed`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let writer = LedgerWriter(ledger.driver, logger: Logger(label: "test"), pause: Self.hour)
        let order = Mutex<[Int]>([])
        func submit(_ number: Int, _ priority: Ledger.Priority, then: @escaping @Sendable () -> Void = {}) {
            writer.submit(
                LedgerWriter.Job(durability: .normal, priority: priority, scope: .ledger, caller: #function) { _ in
                    order.withLock { $0.append(number) }
                    return then
                } fail: { _ in
                    Issue.record("\(number) was not written")
                }
            )
        }
        // The first never waits; then the writer pauses.
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            submit(0, .withOthers) { waiter.resume() }
        }
        for number in 1...5 { submit(number, .withOthers) }
        #expect(order.withLock { $0 } == [0])
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            submit(6, .atOnce) { waiter.resume() }
        }
        #expect(order.withLock { $0 } == Array(0...6))
        submit(7, .withOthers)
        await writer.close()
        #expect(order.withLock { $0 } == Array(0...7))
    }

    @Test(arguments: TestDatabase.all)
    func `bulk work waits for company until something else waits with it, it is hurried, or the ledger is closed`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let pause = CommitPause(least: .nanoseconds(1), most: .seconds(3600))
        let writer = LedgerWriter(ledger.driver, logger: Logger(label: "test"), pause: pause)
        let order = Mutex<[String]>([])
        func submit(_ name: String, _ priority: Ledger.Priority, then: @escaping @Sendable () -> Void = {}) {
            writer.submit(
                LedgerWriter.Job(durability: .normal, priority: priority, scope: .ledger, caller: #function) { _ in
                    order.withLock { $0.append(name) }
                    return then
                } fail: { _ in
                    Issue.record("\(name) was not written")
                }
            )
        }
        func written(_ name: String, _ priority: Ledger.Priority, _ after: () -> Void = {}) async {
            await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
                submit(name, priority) { waiter.resume() }
                after()
            }
        }
        // Each commit of one makes the pause longer by half: after these it is an hour.
        for _ in 0..<80 { await written("first", .atOnce) }
        order.withLock { $0 = [] }
        submit("a", .bulk)
        submit("b", .bulk)
        #expect(order.withLock { $0 }.isEmpty)
        await written("c", .withOthers)
        #expect(order.withLock { $0 } == ["a", "b", "c"])
        await written("d", .bulk) { writer.hurry() }
        submit("e", .bulk)
        #expect(order.withLock { $0 } == ["a", "b", "c", "d"])
        await writer.close()
        #expect(order.withLock { $0 } == ["a", "b", "c", "d", "e"])
    }

    @Test(arguments: TestDatabase.all)
    func `what goes ahead is committed before what waits, and ends the transaction that is under way`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let order = Mutex<[String]>([])
        let isHeld = DispatchSemaphore(value: 0)
        let isBusy = AsyncStream.makeStream(of: Void.self)
        @Sendable func submit(
            _ name: String,
            _ priority: Ledger.Priority,
            whileRun: @escaping @Sendable () -> Void = {},
            then: @escaping @Sendable () -> Void = {}
        ) {
            ledger.submit(priority: priority) { _ in
                order.withLock { $0.append(name) }
                whileRun()
            } completion: { _ in
                order.withLock { $0.append("\(name) is committed") }
                then()
            }
        }
        // Keeps the writer busy until the next three wait together.
        submit(
            "first",
            .atOnce,
            whileRun: {
                isBusy.continuation.finish()
                isHeld.wait()
            }
        )
        for await _ in isBusy.stream {}
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            submit("a", .withOthers, whileRun: { submit("urgent", .ahead) })
            submit("b", .withOthers)
            submit("c", .atOnce, then: { waiter.resume() })
            isHeld.signal()
        }
        #expect(
            order.withLock { $0 } == [
                "first", "first is committed", "a", "a is committed", "urgent", "urgent is committed", "b", "c",
                "b is committed", "c is committed",
            ]
        )
    }

    /// A clock that a test's bodies advance.
    private final class TurnedClock: Sendable {
        private let time = Atomic<UInt64>(1)

        func read() -> UInt64 { time.load(ordering: .sequentiallyConsistent) }

        func turn(by duration: Duration) {
            time.wrappingAdd(UInt64(duration / .nanoseconds(1)), ordering: .sequentiallyConsistent)
        }
    }

    @Test(arguments: TestDatabase.all)
    func `a transaction ends with the body that is over its 50 ms, and the others keep their order in the next`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let clock = TurnedClock()
        let writer = LedgerWriter(ledger.driver, logger: Logger(label: "test"), clock: clock.read)
        let order = Mutex<[String]>([])
        let isHeld = DispatchSemaphore(value: 0)
        let isBusy = AsyncStream.makeStream(of: Void.self)
        @Sendable func submit(
            _ name: String,
            takes duration: Duration = .zero,
            whileRun: @escaping @Sendable () -> Void = {},
            then: @escaping @Sendable () -> Void = {}
        ) {
            writer.submit(
                LedgerWriter.Job(durability: .normal, priority: .atOnce, scope: .ledger, caller: "test") { _ in
                    order.withLock { $0.append(name) }
                    whileRun()
                    clock.turn(by: duration)
                    return {
                        order.withLock { $0.append("\(name) is committed") }
                        then()
                    }
                } fail: {
                    Issue.record("\(name): \($0)")
                }
            )
        }
        // Keeps the writer busy until the others wait together.
        submit(
            "first",
            whileRun: {
                isBusy.continuation.finish()
                isHeld.wait()
            }
        )
        for await _ in isBusy.stream {}
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            submit("a", takes: .milliseconds(20))
            submit("b", takes: .milliseconds(30))
            submit("c", takes: .milliseconds(49))
            submit("d", then: { waiter.resume() })
            isHeld.signal()
        }
        #expect(
            order.withLock { $0 } == [
                "first", "first is committed", "a", "b", "a is committed", "b is committed", "c", "d",
                "c is committed", "d is committed",
            ]
        )
        #expect(writer.metrics.commits == 3 && writer.metrics.longest.nanoseconds["test"] == 49_000_000)
        await writer.close()
    }

    @Test(arguments: TestDatabase.all) func `a body that throws another error is told in the ledger's words`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        await #expect(throws: LedgerError.failed("Mistake()")) { try await ledger.write { _ in throw Mistake() } }
    }

    @Test func `D6: a writer that waits for too long for another process says busy and works afterwards`() async throws
    {
        let ledger = try Ledger.open(path: scratch.path, create: true, busyTimeout: .milliseconds(50))
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: scratch.path, configuration: configuration)
        try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
        await #expect(throws: LedgerError.busy(path: scratch.path)) {
            try await ledger.write { try $0.eventsPublished([1]) }
        }
        try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
        try await ledger.write { try $0.eventsPublished([1]) }
    }

    @Test func `D5: a full disk is told as such, nothing is half written, and room heals it`() async throws {
        let ledger = try scratch.open()
        let number = try await ledger.accepted()
        try await ledger.limitPages(growth: 0)
        let large = Sample.campaign([500, 500, 500], facts: Sample.facts(id: "large"), firstToken: 50)
        await #expect(throws: LedgerError.full(path: scratch.path)) {
            try await ledger.write(.synced) { try $0.accept(large, now: .start) }
        }
        #expect(try await ledger.status(number).law == .holds)
        try await ledger.limitPages(growth: 100_000)
        let accepted = try await ledger.accepted(large)
        #expect(try await ledger.status(accepted).audience == 1500)
    }
}

extension Ledger {
    /// Lets the file grow by so many pages and no further: for this connection the disk is full.
    func limitPages(growth: Int) async throws {
        try await write { transaction in
            let pages = try transaction.db.number("PRAGMA page_count") ?? 0
            _ = try transaction.db.number("PRAGMA max_page_count = \(pages + Int64(growth))")
        }
    }
}
