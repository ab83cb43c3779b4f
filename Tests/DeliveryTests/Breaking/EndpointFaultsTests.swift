import Campaigns
import Testing

@testable import Delivery

/// The consequences of faults at an endpoint, state by state; `PutOffDevicesTests` covers the devices.
@Suite struct EndpointFaultsTests {
    private var faults = EndpointFaults()

    private static let putOff = EndpointFaults.Step(fate: .putOff)
    private static let known = EndpointFaults.Step(fate: .pending)
    private static func trip(_ seconds: Int64 = 0) -> EndpointFaults.Step {
        EndpointFaults.Step(fate: .pending, trip: Fixtures.after(seconds))
    }

    /// Adds a fault that answers a request made before the first fault.
    @discardableResult
    private mutating func lateAnswers(_ count: Int) -> [EndpointFaults.Step] {
        (0..<count).map { fault($0, Fixtures.request()) }
    }

    @discardableResult
    private mutating func fault(
        _ position: Int = 0,
        _ request: EndpointFaults.Request = Fixtures.request(),
        at seconds: Int64 = 0
    ) -> EndpointFaults.Step {
        let device = EndpointFaults.Device(runIndex: 0, position: position)
        return faults.fault(of: device, request, Fixtures.retry, now: Fixtures.after(seconds))
    }

    /// Adds faults that answer requests made one after another.
    @discardableResult
    private mutating func answers(_ count: Int, attempt: UInt32 = 1) -> [EndpointFaults.Step] {
        (0..<count).map {
            let mark = faults.isSampling ? faults.mark(attempt: attempt) : 0
            return fault($0, Fixtures.request(mark, attempt: attempt), at: Int64($0))
        }
    }

    /// Adds a good answer to a request made now; returns true if it proves that the provider works.
    private mutating func goodAnswer() -> Bool {
        let mark = faults.isSampling ? faults.mark(attempt: 1) : 0
        return faults.healthy(Fixtures.request(mark)) != .tellsNothing
    }

    private mutating func lateGoodAnswer() -> Bool { faults.healthy(Fixtures.request()) != .tellsNothing }

    private mutating func healthy(_ request: EndpointFaults.Request) -> EndpointFaults.Good { faults.healthy(request) }

    private mutating func drained() -> Bool { faults.drained() }

    private mutating func refusedAll(at seconds: Int64 = 0) -> Timestamp? {
        faults.refusedAll(now: Fixtures.after(seconds))
    }

    private mutating func mark() -> UInt16 { faults.mark(attempt: 1) }

    private mutating func lost(isProving: Bool = false) -> Timestamp? {
        faults.unanswered(Fixtures.request(isProving: isProving), isDeadline: false, now: Fixtures.now)
    }

    private mutating func deadline(isProving: Bool = false) -> Timestamp? {
        faults.unanswered(Fixtures.request(isProving: isProving), isDeadline: true, now: Fixtures.now)
    }

    private mutating func connectionFailed(isAwaited: Bool = true, byProbe: Bool = false) -> Timestamp? {
        faults.connectionFailed(isAwaited: isAwaited, isAwaitedByProbe: byProbe, now: Fixtures.now)
    }

    // MARK: - The sample

    @Test mutating func `forty faults of the forty requests after the first one trip once`() {
        let first = answers(40)
        #expect(first.allSatisfy { $0 == Self.putOff })
        #expect(answers(2) == [Self.trip(), Self.known])
        #expect(faults.state == .tripped(since: Fixtures.now) && !faults.isSampling)
    }

    @Test mutating func `requests that were under way at the first fault do not count, nor do their good answers`() {
        let late = lateAnswers(1000)
        #expect(late.allSatisfy { $0 == Self.putOff })
        #expect(!lateGoodAnswer() && faults.isRaised)
        let next = answers(39)
        #expect(next.allSatisfy { $0 == Self.putOff })
        #expect(!lateGoodAnswer())
        #expect(answers(1) == [Self.trip()])
    }

    @Test mutating func `the sample is forty requests: faults that overtake good answers trip nothing`() {
        lateAnswers(1)
        let marks = (0..<1000).map { _ in faults.isSampling ? faults.mark(attempt: 1) : 0 }
        #expect(marks.count { $0 != 0 } == 40)
        for mark in marks.dropFirst() { #expect(fault(0, Fixtures.request(mark)) == Self.putOff) }
        #expect(healthy(Fixtures.request(marks[0])) == .well(endsCooldown: false))
        #expect(faults.state == .well && !faults.isRaised)
    }

    @Test mutating func `a request that ends with nothing that tells leaves its place to another`() {
        lateAnswers(1)
        let marks = (0..<40).map { _ in faults.mark(attempt: 1) }
        #expect(mark() == 0)
        faults.toldNothing(Fixtures.request(marks[0]))
        for mark in marks.dropFirst() { fault(0, Fixtures.request(mark)) }
        #expect(answers(1) == [Self.trip()])
    }

    @Test mutating func `a full sample marks nothing, until one of its requests ends with nothing that tells`() {
        lateAnswers(1)
        let marks = (0..<EndpointFaults.retriesMax).map { _ in faults.mark(attempt: 2) }
        #expect(!faults.isSampling)
        faults.toldNothing(Fixtures.request(marks[0], attempt: 2))
        #expect(faults.isSampling)
    }

    @Test mutating func `a request of a former sample gives no place away`() {
        lateAnswers(1)
        let mark = faults.mark(attempt: 1)
        #expect(goodAnswer())
        faults.toldNothing(Fixtures.request(mark))
        #expect(!faults.isSampling)
        // Nor does a late answer for which a trip's sample was waiting.
        lateAnswers(1)
        let next = faults.mark(attempt: 1)
        _ = faults.refusedAll(now: Fixtures.now)
        faults.toldNothing(Fixtures.request(next))
        #expect(!faults.isSampling)
    }

    @Test mutating func `devices that always fail are not the provider, many of them are`() {
        let first = answers(200, attempt: 2)
        #expect(first.allSatisfy { $0 == Self.putOff })
        #expect(answers(1, attempt: 3) == [Self.trip()])
    }

    @Test mutating func `a healthy answer ends the faults`() {
        answers(40)
        #expect(faults.isRaised)
        #expect(goodAnswer() && !faults.isRaised)
        let next = answers(40)
        #expect(next.allSatisfy { $0 == Self.putOff })
    }

    // MARK: - Drained

    @Test mutating func `when no answer is left that could tell, some ask again, and they tell`() {
        lateAnswers(60)
        #expect(drained() && faults.state == .asking(since: Fixtures.now) && faults.isSampling)
        // An outage: forty of them are enough.
        let asking = faults
        let first = answers(39)
        #expect(first.allSatisfy { $0 == Self.putOff })
        #expect(answers(1) == [Self.trip()])
        faults = asking
        // No outage: the next such end asks again only if it is as bad.
        #expect(goodAnswer())
        lateAnswers(39)
        #expect(!drained())
        #expect(faults.state == .well && !faults.isRaised)
    }

    @Test mutating func `where the provider forbade to ask, nobody does`() {
        for position in 0..<60 {
            let device = EndpointFaults.Device(runIndex: 0, position: position)
            let verdict = Verdict.retry(reason: "Shutdown", retryAfter: .seconds(30), charged: true)
            _ = faults.fault(of: device, Fixtures.request(), verdict, now: Fixtures.now)
        }
        #expect(!drained())
        // Nothing of it remains.
        let next = answers(40)
        #expect(next.allSatisfy { $0 == Self.putOff })
    }

    @Test mutating func `where most answers were good, nobody asks`() {
        lateAnswers(60)
        for _ in 0..<60 { #expect(!lateGoodAnswer()) }
        #expect(!drained())
    }

    @Test mutating func `those that ask do not ask for ever`() {
        lateAnswers(60)
        #expect(drained())
        // Enough for an outage, had they not been tried again already; of later attempts, so that they trip nothing
        // yet.
        let next = answers(60, attempt: 2)
        #expect(next.allSatisfy { $0 == Self.putOff })
        #expect(!drained() && faults.state == .well)
    }

    @Test mutating func `with nothing put off, drained changes nothing in any state`() {
        for state in [EndpointFaults.State.well, .warned(since: Fixtures.now), .tripped(since: Fixtures.now)] {
            faults = EndpointFaults()
            if case .warned = state { _ = connectionFailed() }
            if case .tripped = state { _ = faults.refusedAll(now: Fixtures.now) }
            #expect(!drained() && faults.state == state)
        }
    }

    // MARK: - Answers that tell nothing

    @Test mutating func `streams without an answer are no matter of order`() {
        for _ in 1...39 { #expect(deadline() == nil) }
        #expect(deadline() == Fixtures.now)
        #expect(deadline() == nil)
    }

    @Test mutating func `streams that a connection took with it say nothing`() {
        for _ in 1...1000 {
            #expect(lost() == nil)
        }
        #expect(faults.state == .well)
    }

    @Test mutating func `five connections that come to nothing trip, one good answer of any time ends that`() {
        for _ in 1...4 { #expect(connectionFailed() == nil) }
        let warned = faults
        #expect(connectionFailed() == Fixtures.now)
        faults = warned
        #expect(faults.state == .warned(since: Fixtures.now) && faults.isRaised)
        #expect(lateGoodAnswer())
        #expect(faults.state == .well && connectionFailed() == nil)
    }

    @Test mutating func `a fault after connections that came to nothing is judged, and goes back to them`() {
        _ = connectionFailed()
        #expect(fault(at: 5) == Self.putOff)
        #expect(faults.state == .judging(since: Fixtures.now))
        #expect(!lateGoodAnswer())
    }

    // MARK: - Probes

    @Test mutating func `a probe's first fault decides, and the answers of others do not hide its own`() {
        faults.runBegan(isProbe: true)
        #expect(faults.isRaised)
        _ = lateGoodAnswer()
        #expect(faults.isRaised)
        let step = fault(0, Fixtures.request(isProving: true))
        // It is charged: a device that always fails must not keep the breaker open.
        #expect(step == EndpointFaults.Step(fate: .asSaid, trip: Fixtures.now))
        faults.runBegan(isProbe: true)
        #expect(healthy(Fixtures.request(isProving: true)) == .well(endsCooldown: false) && !faults.isRaised)
        faults.runBegan(isProbe: true)
        faults.probeEnded()
        #expect(!faults.isRaised)
    }

    @Test mutating func `a probe's lost stream and a connection it waits for decide as well`() {
        faults.runBegan(isProbe: true)
        #expect(lost(isProving: true) == Fixtures.now)
        faults.runBegan(isProbe: true)
        #expect(connectionFailed(byProbe: true) == Fixtures.now)
    }

    @Test mutating func `another run's begin does not take a probe's good answer from it`() {
        faults.runBegan(isProbe: true)
        _ = faults.refusedAll(now: Fixtures.now)
        faults.runBegan(isProbe: false)
        #expect(faults.state == .well && faults.isRaised)
    }

    @Test mutating func `what the ledger lets through begins anew, a run in the midst of faults does not`() {
        answers(45)
        faults.runBegan(isProbe: false)
        let next = answers(40)
        #expect(next.allSatisfy { $0 == Self.putOff })
        faults.runBegan(isProbe: false)
        #expect(answers(1) == [Self.trip()])
    }

    // MARK: - One push service of many

    @Test mutating func `one of many that nobody waits for any more trips at once, others do not`() {
        faults = EndpointFaults(isOneOfMany: true)
        #expect(connectionFailed() == nil)
        #expect(connectionFailed(isAwaited: false) == Fixtures.now)
        faults = EndpointFaults()
        #expect(connectionFailed(isAwaited: false) == nil)
    }

    @Test mutating func `one that is doubted trips with its first fault, its devices pay, a good answer ends it`() {
        faults = EndpointFaults(isOneOfMany: true)
        faults.runBegan(isProbe: false, isDoubted: true)
        #expect(faults.isRaised && faults.isDoubted)
        #expect(fault() == EndpointFaults.Step(fate: .asSaid, trip: Fixtures.now))
        faults.runBegan(isProbe: false, isDoubted: true)
        #expect(healthy(Fixtures.request()) == .well(endsCooldown: true))
        #expect(!faults.isDoubted && !faults.isRaised)
        #expect(fault() == Self.putOff)
    }

    // MARK: - Transitions that may not happen

    @Test mutating func `a retired endpoint judges nothing and trips nothing, and its faults are the devices'`() {
        faults.retire()
        #expect(faults.isRetired && !faults.isRaised)
        for _ in 1...300 {
            #expect(fault(0, Fixtures.request(isProving: true)) == EndpointFaults.Step(fate: .asSaid))
            #expect(deadline(isProving: true) == nil)
            #expect(connectionFailed(byProbe: true) == nil)
            #expect(refusedAll() == nil)
        }
        faults.runBegan(isProbe: true)
        #expect(faults.state == .retired && !faults.isRaised && !faults.isSampling)
        #expect(!drained() && lateGoodAnswer())
        #expect(faults.state == .retired)
    }

    @Test mutating func `a probe whose endpoint is retired is proved by its answer all the same`() {
        faults.runBegan(isProbe: true)
        faults.retire()
        #expect(faults.isRaised)
        #expect(healthy(Fixtures.request(isProving: true)) == .well(endsCooldown: false))
        #expect(!faults.isRaised && faults.isRetired)
    }

    @Test mutating func `a tripped endpoint neither trips again nor judges, until a run begins or an answer is good`() {
        answers(41)
        let tripped = EndpointFaults.State.tripped(since: Fixtures.now)
        #expect(fault() == Self.known && deadline() == nil && connectionFailed() == nil)
        #expect(refusedAll(at: 9) == nil)
        #expect(faults.state == tripped && !faults.isSampling)
        #expect(!lateGoodAnswer() && faults.state == tripped)
        #expect(healthy(Fixtures.request(isProving: true)) == .well(endsCooldown: false))
        #expect(faults.state == .well)
    }
}
