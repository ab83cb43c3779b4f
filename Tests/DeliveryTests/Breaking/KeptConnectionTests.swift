import Delivery
import Testing

@Suite struct KeptConnectionTests {
    @Test func `connections that fail while nobody sends do not open the breaker, those that a run has do`() {
        var (faults, runs) = (EndpointFaults(isOneOfMany: false), LoopRuns(unflushedMax: 100))
        for _ in 0..<20 {
            #expect(faults.connectionFailed(waiting: [], isInUse: false, &runs, now: Fixtures.now) == nil)
        }
        let trips = (0..<5).compactMap { _ in
            faults.connectionFailed(waiting: [], isInUse: true, &runs, now: Fixtures.now)
        }
        #expect(trips == [Fixtures.now])
    }
}
