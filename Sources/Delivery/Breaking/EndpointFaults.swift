public import Campaigns

/// The meaning of faults at one endpoint, as one event loop sees it: they are the devices' or the provider's.
///
/// Answers do not come in the order of their requests. Those without a body overtake those with one, an edge that turns
/// requests away is faster than a service that takes them, and good answers from before an outage may still arrive
/// after it has begun. So the next answers do not tell the meaning of a fault; the answers to the next requests do. A
/// sample of those requests is marked, and their answers count in whatever order they come. One good answer to the
/// sample shows that the faults were the devices'; none shows that the fault is the provider's. Until then a device
/// with a fault is deferred, so that it is not charged for a provider's outage.
///
/// Confined to that loop. Without a fault, the only cost is that a request checks `isSampling` and an accepted device
/// `isRaised`. Decisions about deferred devices are appended to `decided`. Drivers call the methods that take the runs
/// (`EndpointFaults+Runs`), which tell the runs at once.
public struct EndpointFaults: Sendable {
    /// The number of faults to first attempts of a sample, without one good answer, that means an outage.
    ///
    /// If half of all answers are faults, that happens by chance once in 10^12.
    public static let answersMax = 40
    /// The same number with later attempts included: if only devices that always fail are left, it is not the provider.
    public static let retriesMax = 200
    /// The number of consecutive failed connections that means an outage.
    public static let connectionsMax = 5

    /// A device of a run: the run's index on its loop, and the position in its shard.
    public struct Device: Equatable, Sendable {
        /// The run's index, as the caller numbers it.
        public var runIndex: Int
        /// The device's position in the shard.
        public var position: Int

        /// A device.
        public init(runIndex: Int, position: Int) {
            (self.runIndex, self.position) = (runIndex, position)
        }
    }

    /// A request that has ended, with the present state of its run.
    public struct Request: Equatable, Sendable {
        /// The mark that it carries (`mark(attempt:)`).
        public var mark: UInt16
        /// Its shard's attempt, from 1.
        public var attempt: UInt32
        /// True if it is the single request of a probe.
        public var isProving: Bool
        /// True if its run opens no more streams.
        public var isStopped: Bool

        /// A request.
        public init(mark: UInt16, attempt: UInt32, isProving: Bool, isStopped: Bool) {
            (self.mark, self.attempt) = (mark, attempt)
            (self.isProving, self.isStopped) = (isProving, isStopped)
        }
    }

    /// The consequences of a fault.
    public struct Step: Equatable, Sendable {
        /// The consequence for the device.
        public var fate: Fate
        /// The beginning of the provider's outage; nil if there is none, or if it is already known.
        public var trip: Timestamp?
    }

    /// The fate of a device that got a fault.
    public enum Fate: Equatable, Sendable {
        /// It waits, with its provisional verdict, until the meaning of the fault is decided.
        case putOff
        /// It stays pending and is not charged: its shard is set aside.
        case pending
        /// The answer's verdict stands.
        case asSaid
    }

    /// The consequence of a good answer.
    public enum Good: Equatable, Sendable {
        /// The answer tells nothing, because its request is older than the faults.
        case tellsNothing
        /// The provider works, and a probe continues. `endsCooldown`: one push service of many was out, and its
        /// cooldown ends.
        case well(endsCooldown: Bool)
    }

    /// The decided fate of a deferred device.
    public struct Decision: Equatable, Sendable {
        /// The device.
        public var device: Device
        /// The verdict that its run is told (`ShardRun.ended`).
        public var verdict: Verdict
    }

    /// The state of the faults; devices are deferred only in `judging` and `asking`.
    enum State: Equatable, Sendable {
        /// No fault since the last good answer. Next: `warned`, `judging`, `tripped`, `retired`.
        case well
        /// Streams or connections failed; any good answer ends this. Next: `well`, `judging`, `tripped`, `retired`.
        case warned(since: Timestamp)
        /// Answers were faults, and the sample decides. Next: `well`, `asking`, `tripped`, `retired`.
        case judging(since: Timestamp)
        /// No request that could decide was in progress, so some of the devices ask again. Next: `well`, `tripped`,
        /// `retired`.
        case asking(since: Timestamp)
        /// The provider is out, and the opener of the breaker knows. Next: `well`, `retired`.
        case tripped(since: Timestamp)
        /// The runs have moved to another endpoint. Only requests in progress still report; their faults are the
        /// devices'. Final.
        case retired
    }

    /// True while a healthy answer would change anything.
    public private(set) var isRaised = false
    /// True while new requests are to be marked (`mark(attempt:)`).
    public private(set) var isSampling = false
    /// The decided fates of deferred devices, in the order of their faults.
    var decided: [Decision] = []

    private(set) var state = State.well {
        didSet { isRaised = isProbed || state.isRaised }
    }
    /// True until a probe has had its first good answer.
    private var isProbed = false {
        didSet { isRaised = isProbed || state.isRaised }
    }
    /// True if the provider was out and has not answered well since: one fault is enough to trip.
    public private(set) var isDoubted = false
    private var putOff: [Decision] = []
    /// The mark that the requests of the sample carry; never 0.
    private var era: UInt16 = 0
    /// The requests of the sample: first attempts and later ones.
    private var (marked, markedRetries) = (0, 0)
    /// The faults that count: of first attempts and later ones.
    private var (answers, retries) = (0, 0)
    /// All answers since the first fault, including those to requests from before it.
    private var (faults, others) = (0, 0)
    private var connections = 0
    let isOneOfMany: Bool
    private let answersMax: Int
    private let retriesMax: Int
    private let connectionsMax: Int

    /// No fault.
    ///
    /// `isOneOfMany`: this is one push service of many. When it trips, it alone cools down, and no breaker opens; so
    /// its devices are charged.
    public init(
        isOneOfMany: Bool = false,
        answersMax: Int = Self.answersMax,
        retriesMax: Int = Self.retriesMax,
        connectionsMax: Int = Self.connectionsMax
    ) {
        self.isOneOfMany = isOneOfMany
        self.answersMax = answersMax
        self.retriesMax = retriesMax
        self.connectionsMax = connectionsMax
    }

    /// True while devices wait for the meaning of their faults.
    public var hasPutOff: Bool { !putOff.isEmpty }

    /// True once its runs have moved to another endpoint.
    public var isRetired: Bool { state == .retired }

    /// Moves the decisions, oldest first, into the buffer; the buffer's old content is dropped and its memory reused.
    mutating func take(_ buffer: inout [Decision]) {
        buffer.removeAll(keepingCapacity: true)
        swap(&buffer, &decided)
    }

    // MARK: - Runs

    /// Notes that a run begins: an earlier trip is over, because the ledger lets the run through.
    ///
    /// `isProbe`: the run's first answer decides. `isDoubted`: it decides too, because this push service of many was
    /// out and has not answered well since.
    mutating func runBegan(isProbe: Bool, isDoubted: Bool = false) {
        guard state != .retired else { return }
        self.isDoubted = isDoubted
        let decides = isProbe || isDoubted
        if decides || state.isTripped {
            decideAsOut()
            forget()
        }
        if decides { isProbed = true }
    }

    /// Notes that a run opens no more streams: its deferred devices stay pending.
    mutating func runStopped(_ runIndex: Int) {
        guard !putOff.isEmpty else { return }
        decide(as: .setAside(.breaker)) { $0.runIndex == runIndex }
    }

    /// Notes that a probe's run is over, whatever its result.
    public mutating func probeEnded() {
        isProbed = false
    }

    /// Retires the endpoint after its runs have moved to another: nobody waits for the meaning of its faults.
    mutating func retire() {
        decideAsSaid()
        forget()
        state = .retired
    }

    // MARK: - Requests

    /// Returns the mark for a request that is made while `isSampling`; 0 if the request is not in the sample.
    public mutating func mark(attempt: UInt32) -> UInt16 {
        guard attempt > 1 || marked < answersMax, marked + markedRetries < retriesMax else { return 0 }
        if attempt > 1 { markedRetries += 1 } else { marked += 1 }
        isSampling = marked + markedRetries < retriesMax
        return era
    }

    /// Notes that a request of the sample ended without telling anything, so that another one can replace it.
    mutating func toldNothing(_ request: Request) {
        guard state.isOpen, request.mark != 0, request.mark == era, marked + markedRetries > 0 else { return }
        if request.attempt > 1 { markedRetries -= 1 } else { marked -= 1 }
        isSampling = true
    }

    /// Handles an answer that is a fault; `verdict` is the device's fate if the fault is its own.
    mutating func fault(
        of device: Device,
        _ request: Request,
        _ verdict: Verdict,
        now: Timestamp
    ) -> Step {
        switch state {
        case .retired: return Step(fate: .asSaid)
        case .well, .warned: beginSample()
        case .judging, .asking, .tripped: break
        }
        faults += 1
        if request.mark != 0, request.mark == era { count(request) }
        let trip = tripIfDue(request.isProving || isDoubted || isOutage, now)
        if state.isTripped {
            // The one device of a failed probe is charged an attempt: a device that always fails must not keep the app
            // blocked.
            return Step(fate: request.isProving || isOneOfMany ? .asSaid : .pending, trip: trip)
        }
        state = state.judging(since: now)
        if request.isStopped { return Step(fate: .pending) }
        putOff.append(Decision(device: device, verdict: verdict))
        return Step(fate: .putOff)
    }

    /// Handles a request without an answer; returns the beginning of the provider's outage if one follows.
    ///
    /// Streams lost with their connection tell no more than the next connection will. A deadline counts as a fault,
    /// because no healthy answer overtakes it.
    mutating func unanswered(_ request: Request, isDeadline: Bool, now: Timestamp) -> Timestamp? {
        guard isDeadline || request.isProving else {
            toldNothing(request)
            return nil
        }
        count(request)
        return warn(request.isProving || isDoubted || isOutage, now)
    }

    /// Handles a connection that failed to open or refused its first stream; returns as `unanswered`.
    ///
    /// `isAwaited`: a run waits for it; `isAwaitedByProbe`: a run whose first answer decides.
    mutating func connectionFailed(isAwaited: Bool, isAwaitedByProbe: Bool, now: Timestamp) -> Timestamp? {
        connections += 1
        // Once nobody waits, the finding about one service of many helps those that come later.
        let isLeft = isOneOfMany && !isAwaited
        return warn(isAwaitedByProbe || isDoubted || isLeft || connections >= connectionsMax, now)
    }

    /// Handles an answer by which the provider says that nothing can be sent; returns as `unanswered`.
    mutating func refusedAll(now: Timestamp) -> Timestamp? { warn(true, now) }

    /// Handles an answer that only a working provider gives.
    mutating func healthy(_ request: Request) -> Good {
        let decides = request.isProving || isDoubted
        if decides { isProbed = false }
        guard decides || faults == 0 || request.mark != 0 && request.mark == era else {
            others += 1
            return .tellsNothing
        }
        let endsCooldown = isDoubted
        isDoubted = false
        if state != .retired {
            decideAsSaid()
            forget()
        }
        return .well(endsCooldown: endsCooldown)
    }

    /// Notes that no request is in progress or waiting, so no answer will come that tells the meaning of the faults.
    ///
    /// Returns true if some devices ask again: many faults and fewer other answers may well be an outage, so they ask
    /// at once and are not charged.
    @discardableResult
    mutating func drained() -> Bool {
        guard case .judging(let since) = state, faults >= answersMax, faults > others,
            putOff.contains(where: { $0.verdict.askingAgain != nil })
        else {
            if hasPutOff {
                decideAsSaid()
                forget()
            }
            return false
        }
        forget()
        state = .asking(since: since)
        beginSample()
        ask(most: retriesMax)
        return true
    }

    // MARK: - Deferred devices

    /// Lets the first devices that may ask again do so, at most this many.
    private mutating func ask(most: Int) {
        var (left, kept) = (most, 0)
        for index in putOff.indices {
            if left > 0, let again = putOff[index].verdict.askingAgain {
                left -= 1
                decided.append(Decision(device: putOff[index].device, verdict: again))
            } else {
                putOff.swapAt(kept, index)
                kept += 1
            }
        }
        putOff.removeSubrange(kept...)
    }

    /// Decides for the devices' own faults: the verdict of each answer stands.
    private mutating func decideAsSaid() {
        decided.append(contentsOf: putOff)
        putOff.removeAll(keepingCapacity: true)
    }

    /// Decides for an outage: the devices stay pending, or are charged if this is one push service of many.
    private mutating func decideAsOut() {
        if isOneOfMany { decideAsSaid() } else { decide(as: .setAside(.breaker)) { _ in true } }
    }

    private mutating func decide(as verdict: Verdict, where isMeant: (Device) -> Bool) {
        var kept = 0
        for index in putOff.indices {
            if isMeant(putOff[index].device) {
                decided.append(Decision(device: putOff[index].device, verdict: verdict))
            } else {
                putOff.swapAt(kept, index)
                kept += 1
            }
        }
        putOff.removeSubrange(kept...)
    }

    // MARK: - Counting

    private mutating func beginSample() {
        era = era == .max ? 1 : era + 1
        (marked, markedRetries, isSampling) = (0, 0, true)
    }

    private mutating func count(_ request: Request) {
        if request.attempt > 1 { retries += 1 } else { answers += 1 }
    }

    private var isOutage: Bool { answers >= answersMax || answers + retries >= retriesMax }

    private mutating func forget() {
        (answers, retries, faults, others, connections) = (0, 0, 0, 0, 0)
        isSampling = false
        state = .well
    }

    /// Handles an event that is not an answer and may trip.
    private mutating func warn(_ trips: Bool, _ now: Timestamp) -> Timestamp? {
        guard state != .retired else { return nil }
        if let since = tripIfDue(trips, now) { return since }
        if state == .well { state = .warned(since: now) }
        return nil
    }

    /// Trips if due, and returns the beginning of the outage.
    private mutating func tripIfDue(_ isDue: Bool, _ now: Timestamp) -> Timestamp? {
        guard isDue, !state.isTripped else { return nil }
        let since = state.since ?? now
        decideAsOut()
        isSampling = false
        state = .tripped(since: since)
        return since
    }
}

extension EndpointFaults.State {
    /// The instant of the first fault; nil without one.
    fileprivate var since: Timestamp? {
        switch self {
        case .warned(let since), .judging(let since), .asking(let since), .tripped(let since): since
        case .well, .retired: nil
        }
    }

    fileprivate var isRaised: Bool { since != nil }

    fileprivate var isTripped: Bool {
        if case .tripped = self { true } else { false }
    }

    /// True while a sample is to tell the meaning of the faults.
    fileprivate var isOpen: Bool {
        switch self {
        case .judging, .asking: true
        case .well, .warned, .tripped, .retired: false
        }
    }

    /// The state after an answer that is a fault.
    fileprivate func judging(since now: Timestamp) -> Self {
        switch self {
        case .well, .warned: .judging(since: since ?? now)
        case .judging, .asking, .tripped, .retired: self
        }
    }
}

extension Verdict {
    /// The same request at once, without a charge; nil if the provider forbids it.
    fileprivate var askingAgain: Verdict? {
        switch self {
        case .retry(let reason, nil, _): .again(reason: reason, otherwise: .retry)
        case .again: self
        case .retry, .outcome, .suspect, .resend, .setAside: nil
        }
    }
}
