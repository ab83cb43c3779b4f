import Campaigns
import Testing

@testable import Delivery

/// The fate of devices that got a fault before its cause was known.
@Suite struct PutOffDevicesTests {
    private var faults = EndpointFaults()

    private static let asked = Verdict.again(reason: "Shutdown", otherwise: .retry)
    private static let pending = Verdict.setAside(.breaker)
    private static let forbidden = Verdict.retry(reason: "Shutdown", retryAfter: .seconds(30), charged: true)

    /// Adds faults of a run that answer requests made before the first fault.
    private mutating func fail(_ count: Int, runIndex: Int = 0, _ verdict: Verdict = Fixtures.retry) {
        for position in 0..<count {
            let device = EndpointFaults.Device(runIndex: runIndex, position: position)
            let step = faults.fault(of: device, Fixtures.request(), verdict, now: Fixtures.now)
            #expect(step == EndpointFaults.Step(fate: .putOff))
        }
    }

    private func devices(_ count: Int, runIndex: Int = 0, _ verdict: Verdict) -> [EndpointFaults.Decision] {
        (0..<count).map {
            EndpointFaults.Decision(device: EndpointFaults.Device(runIndex: runIndex, position: $0), verdict: verdict)
        }
    }

    private mutating func taken() -> [EndpointFaults.Decision] {
        var buffer: [EndpointFaults.Decision] = []
        faults.take(&buffer)
        return buffer
    }

    private mutating func mark() -> UInt16 { faults.isSampling ? faults.mark(attempt: 1) : 0 }

    @Test mutating func `a good answer of the sample has them take what their answers said, one of before nothing`() {
        fail(3)
        fail(2, runIndex: 7)
        let late = faults.healthy(Fixtures.request())
        #expect(late == .tellsNothing && faults.decided.isEmpty && faults.hasPutOff)
        let good = faults.healthy(Fixtures.request(mark()))
        #expect(good == .well(endsCooldown: false))
        #expect(taken() == devices(3, Fixtures.retry) + devices(2, runIndex: 7, Fixtures.retry))
        #expect(!faults.hasPutOff && faults.decided.isEmpty)
    }

    @Test mutating func `a trip leaves them pending`() {
        fail(3)
        let since = faults.refusedAll(now: Fixtures.now)
        #expect(since == Fixtures.now)
        #expect(taken() == devices(3, Self.pending) && !faults.hasPutOff)
    }

    @Test mutating func `a trip of one push service of many has them pay`() {
        faults = EndpointFaults(isOneOfMany: true)
        fail(3)
        for _ in 1...5 {
            _ = faults.connectionFailed(isAwaited: true, isAwaitedByProbe: false, now: Fixtures.now)
        }
        #expect(taken() == devices(3, Fixtures.retry) && !faults.hasPutOff)
    }

    @Test mutating func `those of a run that stops stay pending, and no others`() {
        fail(2, runIndex: 1)
        fail(2, runIndex: 2)
        fail(1, runIndex: 1)
        faults.runStopped(1)
        #expect(taken() == devices(2, runIndex: 1, Self.pending) + devices(1, runIndex: 1, Self.pending))
        faults.runStopped(1)
        #expect(faults.decided.isEmpty && faults.hasPutOff)
        faults.runStopped(2)
        #expect(taken() == devices(2, runIndex: 2, Self.pending) && !faults.hasPutOff)
    }

    @Test mutating func `a fault of a run that is stopped is not put off, but counts`() {
        let device = EndpointFaults.Device(runIndex: 0, position: 0)
        let request = Fixtures.request(isStopped: true)
        let step = faults.fault(of: device, request, Fixtures.retry, now: Fixtures.now)
        #expect(step == EndpointFaults.Step(fate: .pending) && !faults.hasPutOff && faults.isSampling)
    }

    @Test mutating func `when the endpoint is retired they take what their answers said, and none is put off again`() {
        fail(3)
        faults.retire()
        #expect(taken() == devices(3, Fixtures.retry))
        let device = EndpointFaults.Device(runIndex: 0, position: 0)
        let step = faults.fault(of: device, Fixtures.request(), Fixtures.retry, now: Fixtures.now)
        #expect(step == EndpointFaults.Step(fate: .asSaid) && !faults.hasPutOff)
    }

    @Test mutating func `when nothing is under way, few of them take what their answers said`() {
        fail(39)
        faults.drained()
        #expect(taken() == devices(39, Fixtures.retry) && !faults.hasPutOff)
    }

    @Test mutating func `many of them ask, up to so many, and those that may not go on waiting`() {
        fail(1, runIndex: 1, Self.forbidden)
        fail(EndpointFaults.retriesMax + 1, runIndex: 2)
        faults.drained()
        #expect(taken() == devices(EndpointFaults.retriesMax, runIndex: 2, Self.asked))
        let good = faults.healthy(Fixtures.request(mark()))
        #expect(good == .well(endsCooldown: false))
        let last = EndpointFaults.Device(runIndex: 2, position: EndpointFaults.retriesMax)
        #expect(
            taken() == devices(1, runIndex: 1, Self.forbidden)
                + [EndpointFaults.Decision(device: last, verdict: Fixtures.retry)]
        )
    }

    @Test mutating func `those that asked and got no better answer take their rungs when nothing is under way`() {
        fail(60)
        faults.drained()
        _ = taken()
        fail(2, runIndex: 3, Self.asked)
        faults.drained()
        #expect(taken() == devices(2, runIndex: 3, Self.asked))
    }

    @Test mutating func `a probe that begins leaves those of others pending`() {
        fail(2)
        faults.runBegan(isProbe: false)
        #expect(faults.hasPutOff)
        faults.runBegan(isProbe: true)
        #expect(taken() == devices(2, Self.pending) && !faults.hasPutOff)
    }

    @Test mutating func `what is taken is taken once, and the buffer's memory is used again`() {
        fail(3)
        faults.runStopped(0)
        var buffer: [EndpointFaults.Decision] = []
        buffer.reserveCapacity(100)
        faults.take(&buffer)
        #expect(buffer.count == 3 && faults.decided.isEmpty && faults.decided.capacity >= 100)
        faults.take(&buffer)
        #expect(buffer.isEmpty)
    }
}
