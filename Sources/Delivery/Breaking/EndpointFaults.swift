public import Campaigns

/// The meaning of faults at one endpoint, as one event loop sees it: whether they are the devices' or the provider's.
///
/// Answers do not come in the order of their requests: those without a body overtake those with one, an edge that turns
/// requests away is faster than a service that takes them, and good answers of before an outage may still come when it
/// has begun. So not the next answers tell what a fault means, but those to the next requests: a sample of them is
/// marked, whatever overtakes what. One good answer to it, and the faults were the devices'; none, and it is the
/// provider. Until then a device that got a fault is put off: nothing is charged to it when it was the provider.
///
/// Confined to that loop. While there is no fault, a request asks `isSampling`, an accepted device `isRaised`, and that
/// is all. What becomes of devices that were put off is appended to `decided`; a driver's facts come with the runs
/// (`EndpointFaults+Runs`), which are told at once.
public struct EndpointFaults: Sendable {
    /// Faults to first attempts of a sample without one good answer: where half of all answers are faults, by chance
    /// once in 10^12.
    public static let answersMax = 40
    /// The same with later attempts: where only the devices are left that always fail, it is not the provider.
    public static let retriesMax = 200
    /// Connections in a row that came to nothing.
    public static let connectionsMax = 5

    /// A device of a run: the run's slot on its loop, and the position in its shard.
    public struct Device: Equatable, Sendable {
        /// The caller's number of the run.
        public var slot: Int
        /// The device's position in the shard.
        public var position: Int

        /// A device.
        public init(slot: Int, position: Int) {
            (self.slot, self.position) = (slot, position)
        }
    }

    /// A request whose end is told, with what its run is like by now.
    public struct Request: Equatable, Sendable {
        /// What it carries (`mark`).
        public var mark: UInt16
        /// Its shard's attempt, from 1.
        public var attempt: UInt32
        /// Whether it is the one request of a probe.
        public var isProving: Bool
        /// Whether its run opens no stream any more.
        public var isStopped: Bool

        /// A request.
        public init(mark: UInt16, attempt: UInt32, isProving: Bool, isStopped: Bool) {
            (self.mark, self.attempt) = (mark, attempt)
            (self.isProving, self.isStopped) = (isProving, isStopped)
        }
    }

    /// What follows from a fault.
    public struct Step: Equatable, Sendable {
        /// For the device.
        public var fate: Fate
        /// For the provider: it is out, since then; nil when that is not so, or known.
        public var trip: Timestamp?
    }

    /// What becomes of a device that got a fault.
    public enum Fate: Equatable, Sendable {
        /// It waits, with what would become of it, until it is decided.
        case putOff
        /// It stays pending, and nothing is charged to it: its shard is set aside.
        case pending
        /// What its answer says.
        case asSaid
    }

    /// What follows from a good answer.
    public enum Good: Equatable, Sendable {
        /// It is to a request of before the faults, which tells nothing.
        case tellsNothing
        /// The provider works: a probe goes on. `endsRest`: one push service of many was out, and rests no more.
        case well(endsRest: Bool)
    }

    /// What becomes of a device that was put off.
    public struct Decision: Equatable, Sendable {
        /// The device.
        public var device: Device
        /// What its run is told (`ShardRun.ended`).
        public var verdict: Verdict
    }

    /// Where the faults stand; no device is put off but while `judging` and `asking`.
    enum State: Equatable, Sendable {
        /// No fault since the last good answer. Then `warned`, `judging`, `tripped`, `retired`.
        case well
        /// Streams or connections that came to nothing: any good answer ends it. Then `well`, `judging`, `tripped`,
        /// `retired`.
        case warned(since: Timestamp)
        /// Answers that are faults: the sample tells. Then `well`, `asking`, `tripped`, `retired`.
        case judging(since: Timestamp)
        /// Nothing that could tell was under way, so some of the devices ask. Then `well`, `tripped`, `retired`.
        case asking(since: Timestamp)
        /// The provider is out, and whoever opens the breaker knows. Then `well`, `retired`.
        case tripped(since: Timestamp)
        /// Its runs have gone over to another, and it only hears of what is under way: faults are the devices'. The last.
        case retired
    }

    /// Whether a healthy answer would change anything.
    public private(set) var isRaised = false
    /// Whether requests that are made now are to be marked (`mark`).
    public private(set) var isSampling = false
    /// What has become of devices that were put off, in the order of their faults.
    var decided: [Decision] = []

    private(set) var state = State.well {
        didSet { isRaised = isProbed || state.isRaised }
    }
    /// Whether a probe has not had its first good answer.
    private var isProbed = false {
        didSet { isRaised = isProbed || state.isRaised }
    }
    /// Whether it was out and has not answered well since: one fault is enough.
    public private(set) var isDoubted = false
    private var putOff: [Decision] = []
    /// What the requests of the sample carry; never 0.
    private var era: UInt16 = 0
    /// Requests of the sample, by first attempts and later ones.
    private var (marked, markedRetries) = (0, 0)
    /// Faults that count, by first attempts and later ones.
    private var (answers, retries) = (0, 0)
    /// All answers since the first fault, those of before it included.
    private var (faults, others) = (0, 0)
    private var connections = 0
    private let isOneOfMany: Bool
    private let answersMax: Int
    private let retriesMax: Int
    private let connectionsMax: Int

    /// No fault.
    ///
    /// `isOneOfMany`: it is one push service of many, whose trip makes it rest by itself; nobody else waits with its
    /// devices, so they pay.
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

    /// Whether devices wait for what their faults mean.
    public var hasPutOff: Bool { !putOff.isEmpty }

    /// Whether its runs have gone over to another.
    public var isRetired: Bool { state == .retired }

    /// Takes what is decided, oldest first; what the buffer had is dropped, its memory is used for the next ones.
    mutating func take(_ buffer: inout [Decision]) {
        buffer.removeAll(keepingCapacity: true)
        swap(&buffer, &decided)
    }

    // MARK: - Runs

    /// A run begins: what tripped before is over, because the ledger lets it through.
    ///
    /// `isProbe`: its first answer decides. `isDoubted`: the same, because this push service of many was out and has not
    /// answered well since.
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

    /// A run opens no stream any more: its devices that were put off stay pending.
    mutating func runStopped(_ slot: Int) {
        guard !putOff.isEmpty else { return }
        decide(as: .setAside(.breaker)) { $0.slot == slot }
    }

    /// A probe's run is over, whatever it has found.
    public mutating func probeEnded() {
        isProbed = false
    }

    /// Its runs have gone over to another: nobody waits for what the faults mean.
    mutating func retire() {
        decideAsSaid()
        forget()
        state = .retired
    }

    // MARK: - Requests

    /// A request is made while `isSampling`: what it is to carry; 0 when it is not of the sample.
    public mutating func mark(attempt: UInt32) -> UInt16 {
        guard attempt > 1 || marked < answersMax, marked + markedRetries < retriesMax else { return 0 }
        if attempt > 1 { markedRetries += 1 } else { marked += 1 }
        isSampling = marked + markedRetries < retriesMax
        return era
    }

    /// A request ended with nothing that tells; another one takes its place in the sample.
    mutating func toldNothing(_ request: Request) {
        guard state.isOpen, request.mark != 0, request.mark == era, marked + markedRetries > 0 else { return }
        if request.attempt > 1 { markedRetries -= 1 } else { marked -= 1 }
        isSampling = true
    }

    /// An answer that is a fault; `verdict`: what becomes of the device when it is its own.
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
            // The one device of a failed probe pays with an attempt: one that always fails does not keep the app shut.
            return Step(fate: request.isProving || isOneOfMany ? .asSaid : .pending, trip: trip)
        }
        state = state.judging(since: now)
        if request.isStopped { return Step(fate: .pending) }
        putOff.append(Decision(device: device, verdict: verdict))
        return Step(fate: .putOff)
    }

    /// No answer came; returns since when the provider is out, when that follows.
    ///
    /// Streams that a connection took with it say no more than the next connection will. A deadline is a fault that no
    /// healthy answer overtakes.
    mutating func unanswered(_ request: Request, isDeadline: Bool, now: Timestamp) -> Timestamp? {
        guard isDeadline || request.isProving else {
            toldNothing(request)
            return nil
        }
        count(request)
        return warn(request.isProving || isDoubted || isOutage, now)
    }

    /// A connection came to nothing, or refused its first stream; returns as `unanswered`.
    ///
    /// `isAwaited`: whether a run waits for it; `isAwaitedByProbe`: one whose first answer decides.
    mutating func connectionFailed(isAwaited: Bool, isAwaitedByProbe: Bool, now: Timestamp) -> Timestamp? {
        connections += 1
        // Where nobody waits any more, what is known of one service of many is for those who come again.
        let isLeft = isOneOfMany && !isAwaited
        return warn(isAwaitedByProbe || isDoubted || isLeft || connections >= connectionsMax, now)
    }

    /// An answer says of the provider itself that nothing can be sent; returns as `unanswered`.
    mutating func refusedAll(now: Timestamp) -> Timestamp? { warn(true, now) }

    /// An answer that only a provider that works gives.
    mutating func healthy(_ request: Request) -> Good {
        let decides = request.isProving || isDoubted
        if decides { isProbed = false }
        guard decides || faults == 0 || request.mark != 0 && request.mark == era else {
            others += 1
            return .tellsNothing
        }
        let endsRest = isDoubted
        isDoubted = false
        if state != .retired {
            decideAsSaid()
            forget()
        }
        return .well(endsRest: endsRest)
    }

    /// No request is under way or waits to be made, so no answer will come that tells; true when some devices ask again.
    ///
    /// So many faults in a row may well be an outage: then they ask at once, and nothing is charged.
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

    // MARK: - What was put off

    /// The first of the devices that may ask again do, at most so many.
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

    /// It was the devices: each takes what its answer said.
    private mutating func decideAsSaid() {
        decided.append(contentsOf: putOff)
        putOff.removeAll(keepingCapacity: true)
    }

    /// It was the provider: they stay pending, or pay where nobody else waits with them.
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

    /// What is no answer, and may trip.
    private mutating func warn(_ trips: Bool, _ now: Timestamp) -> Timestamp? {
        guard state != .retired else { return nil }
        if let since = tripIfDue(trips, now) { return since }
        if state == .well { state = .warned(since: now) }
        return nil
    }

    /// Since when the provider is out, when it trips now.
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
    /// Since the first fault; nil without one.
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

    /// Whether a sample is to tell what the faults mean.
    fileprivate var isOpen: Bool {
        switch self {
        case .judging, .asking: true
        case .well, .warned, .tripped, .retired: false
        }
    }

    /// The same after an answer that is a fault.
    fileprivate func judging(since now: Timestamp) -> Self {
        switch self {
        case .well, .warned: .judging(since: since ?? now)
        case .judging, .asking, .tripped, .retired: self
        }
    }
}

extension Verdict {
    /// The same request at once, not charged; nil when the provider forbade it.
    fileprivate var askingAgain: Verdict? {
        switch self {
        case .retry(let reason, nil, _): .again(reason: reason, otherwise: .retry)
        case .again: self
        case .retry, .outcome, .suspect, .resend, .setAside: nil
        }
    }
}
