import Servers
import Synchronization
import Testing

@testable import WebServing

/// The server's readiness, with the test's own clock.
@Suite struct ReadinessTests {
    private let start = ContinuousClock.now

    /// A server's readiness with checks that count, and a clock that stands until it is moved.
    private final class Stage: Sendable {
        let now: Mutex<ContinuousClock.Instant>
        let counts = Mutex((broker: 0, reads: 0, writes: 0))
        let unwritable = Mutex<String?>(nil)
        let unreadable = Mutex<String?>(nil)

        init(_ start: ContinuousClock.Instant) { now = Mutex(start) }

        func readiness() -> Readiness {
            let readiness = Readiness {
                self.counts.withLock { $0.reads += 1 }
                return self.unreadable.withLock(\.self)
            } writes: {
                self.counts.withLock { $0.writes += 1 }
                return self.unwritable.withLock(\.self)
            } now: {
                self.now.withLock(\.self)
            }
            readiness.check {
                self.counts.withLock { $0.broker += 1 }
                return nil
            }
            readiness.listens()
            return readiness
        }
    }

    @Test func `broker and ledger are asked once a second, and the test write is made once in ten`() async {
        let stage = Stage(start)
        let readiness = stage.readiness()
        for millisecond in stride(from: 0, to: 20_000, by: 250) {
            stage.now.withLock { $0 = start + .milliseconds(millisecond) }
            #expect(await readiness.reasons().isEmpty)
        }
        let counts = stage.counts.withLock(\.self)
        #expect(counts == (broker: 20, reads: 20, writes: 2))
    }

    @Test func `a ledger that takes no writes is a reason until the next test write`() async {
        let stage = Stage(start)
        let readiness = stage.readiness()
        stage.unwritable.withLock { $0 = "the disk is full" }
        #expect(await readiness.reasons() == ["the disk is full"])
        stage.unwritable.withLock { $0 = nil }
        stage.now.withLock { $0 = start + .seconds(9) }
        #expect(await readiness.reasons() == ["the disk is full"])
        stage.now.withLock { $0 = start + .seconds(10) }
        #expect(await readiness.reasons().isEmpty)
    }

    @Test func `a ledger that cannot be read is told once, and not tried with a write`() async {
        let stage = Stage(start)
        let readiness = stage.readiness()
        stage.unreadable.withLock { $0 = "there is no ledger" }
        #expect(await readiness.reasons() == ["there is no ledger"])
        #expect(stage.counts.withLock(\.writes) == 0)
    }

    @Test func `calls during a check share its result`() async {
        let (came, gate) = (AsyncSemaphore(0), AsyncSemaphore(0))
        let checks = Mutex(0)
        let instants = Mutex(start)
        // Every call comes an hour after the last one: no result is young enough to be used again.
        let shared = SharedCheck(ageMax: .seconds(1)) {
            defer { came.giveBack() }
            return instants.withLock {
                $0 += .seconds(3600)
                return $0
            }
        } check: {
            await gate.take()
            return checks.withLock {
                $0 += 1
                return $0
            }
        }
        gate.giveBack()
        #expect(await shared.result() == 1)
        await came.take()
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<5 { group.addTask { await shared.result() } }
            for _ in 0..<5 { await came.take() }
            // More than one check may pass, so that a check for each call would be seen.
            for _ in 0..<5 { gate.giveBack() }
            for await result in group { #expect(result == 2) }
        }
        #expect(checks.withLock(\.self) == 2)
    }
}
