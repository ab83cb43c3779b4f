import Campaigns
import Servers
import Synchronization
import Testing

@testable import HTTPServer
@testable import Operations

/// The fleet's status for many callers, with readings that wait for the test.
@Suite struct FleetPollTests {
    @Test func `callers at the same time share one reading of the fleet`() async {
        let (came, gate) = (AsyncSemaphore(0), AsyncSemaphore(0))
        let readings = Mutex<Int64>(0)
        let instants = Mutex(ContinuousClock.now)
        // Every call comes an hour after the last one: no reading is young enough to be used again.
        let poll = FleetPoll {
            defer { came.giveBack() }
            return instants.withLock {
                $0 += .seconds(3600)
                return $0
            }
        } take: {
            await gate.take()
            return readings.withLock {
                $0 += 1
                return FleetFacts(at: Timestamp(milliseconds: $0))
            }
        }
        // The first status takes two readings, which tell how fast queues drain.
        for _ in 0..<2 { gate.giveBack() }
        #expect(await poll.facts().at.milliseconds == 2)
        await came.take()
        await withTaskGroup(of: Int64.self) { group in
            for _ in 0..<5 { group.addTask { await poll.facts().at.milliseconds } }
            for _ in 0..<5 { await came.take() }
            // More than one reading may pass, so that a reading for each caller would be seen.
            for _ in 0..<5 { gate.giveBack() }
            for await at in group { #expect(at == 3) }
        }
        #expect(readings.withLock(\.self) == 3)
    }
}
