import Delivery
import Testing

@Suite struct UnansweredRunsTests {
    @Test func `of 1,500 runs that wait for a connection each new one sends the oldest away`() {
        var runs = UnansweredRuns(loops: 2)
        let most = UnansweredRuns.ofWorker / 2
        #expect((0..<most).allSatisfy { runs.waits($0) == nil })
        #expect((most..<1500).map { runs.waits($0) } == (0..<1500 - most).map { $0 })
        // A waiting run does not wait a second time.
        #expect(runs.waits(1499) == nil)
    }

    @Test func `a run whose service has answered, or that is over, takes no place`() {
        var runs = UnansweredRuns(loops: UnansweredRuns.ofWorker)
        #expect(runs.waits(1) == nil)
        runs.left(1)
        #expect(runs.waits(2) == nil && runs.waits(3) == 2)
        runs.asks(3)
        runs.left(3)
        #expect(runs.waits(4) == nil)
    }

    @Test func `a run with a request under way stays, and the one that comes leaves`() {
        var runs = UnansweredRuns(loops: UnansweredRuns.ofWorker / 2)
        #expect(runs.waits(1) == nil && runs.waits(2) == nil)
        runs.asks(1)
        runs.asks(2)
        #expect(runs.waits(3) == 3)
        #expect(runs.waits(1) == nil)
        runs.left(2)
        #expect(runs.waits(3) == nil)
    }

    @Test func `a worker of many loops has a place for one run on each`() {
        var runs = UnansweredRuns(loops: 96)
        #expect(runs.waits(1) == nil && runs.waits(2) == 1)
    }
}
