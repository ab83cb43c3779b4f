public import Campaigns

/// Counts how many faults follow one another at one endpoint, as one event loop sees it: what opens a breaker.
///
/// Answers do not come in the order of their requests: those without a body overtake those with one, an edge that turns
/// requests away is faster than a service that takes them, and good answers of before an outage may still come when it
/// has begun. So not the next answers tell what a fault means, but those to the next requests: a sample of them is
/// marked, whatever overtakes what. One good answer to it, and the faults were the devices'; none, and it is the
/// provider. Until then a device that got a fault waits (`Step.putOff`): nothing is charged to it when it was the
/// provider.
///
/// Confined to that loop. While there is no fault, a request asks `isSampling`, an accepted device `isRaised`, and that
/// is all.
public struct FaultRun: Sendable {
    /// Faults to first attempts of a sample without one good answer: where half of all answers are faults, by chance
    /// once in 10^12.
    public static let answersMax = 40
    /// The same with later attempts: where only the devices are left that always fail, it is not the provider.
    public static let retriesMax = 200
    /// Connections in a row that came to nothing.
    public static let connectionsMax = 5

    /// What follows from a fault.
    public enum Step: Equatable, Sendable {
        /// It is not known yet what it means: keep the device and what would become of it, until `healthy`, a trip or
        /// `drained` say it.
        case putOff
        /// The provider is out, not the device: it stays pending, and the breaker opens.
        case trip(since: Timestamp)
        /// The same; the breaker knows.
        case hold
    }

    /// What becomes of devices that were put off when no answer is under way any more that could tell.
    public enum Drained: Equatable, Sendable {
        /// So many in a row may well be an outage: up to this many are asked again at once, and nothing is charged.
        case ask(Int)
        /// They take their rungs.
        case charge
    }

    /// Whether a healthy answer would change anything.
    public private(set) var isRaised = false
    /// Whether requests that are made now are to be marked (`mark`).
    public private(set) var isSampling = false
    /// What the requests of the sample carry; never 0.
    private var era: UInt16 = 0
    private let answersMax: Int
    private let retriesMax: Int
    private let connectionsMax: Int
    /// Requests of the sample, by first attempts and later ones.
    private var (marked, markedRetries) = (0, 0)
    /// Faults that count, by first attempts and later ones.
    private var (answers, retries) = (0, 0)
    /// All answers since the first fault, those of before it included.
    private var (faults, others) = (0, 0)
    private var connections = 0
    private var since: Timestamp?
    private var isTripped = false
    private var isAsking = false
    private var isWatching = false

    /// No fault.
    public init(
        answersMax: Int = Self.answersMax,
        retriesMax: Int = Self.retriesMax,
        connectionsMax: Int = Self.connectionsMax
    ) {
        self.answersMax = answersMax
        self.retriesMax = retriesMax
        self.connectionsMax = connectionsMax
    }

    /// A run begins: what tripped before is over, because the ledger lets it through.
    ///
    /// `isProbe`: its first answer decides.
    public mutating func begin(isProbe: Bool) {
        if isProbe || isTripped { forget() }
        isWatching = isWatching || isProbe
        isRaised = isRaised || isProbe
    }

    /// A probe's run is over, whatever it has found.
    public mutating func probeEnded() {
        isWatching = false
    }

    /// An answer that is a fault.
    ///
    /// - Parameters:
    ///   - attempt: Its shard's, from 1.
    ///   - mark: What the request carries.
    ///   - decides: Whether it was a probe's, which is never put off.
    ///   - now: The instant.
    public mutating func answer(attempt: UInt32, mark: UInt16, decides: Bool, now: Timestamp) -> Step {
        if faults == 0, !isAsking { beginSample() }
        faults += 1
        if mark != 0, mark == era { count(attempt) }
        return step(decides || isOutage, now)
    }

    /// A request is made while `isSampling`: what it is to carry; 0 when it is not of the sample.
    public mutating func mark(attempt: UInt32) -> UInt16 {
        guard attempt > 1 || marked < answersMax, marked + markedRetries < retriesMax else { return 0 }
        if attempt > 1 { markedRetries += 1 } else { marked += 1 }
        isSampling = marked + markedRetries < retriesMax
        return era
    }

    /// A request ended with nothing that tells; another one takes its place in the sample.
    public mutating func toldNothing(mark: UInt16, attempt: UInt32) {
        guard mark != 0, mark == era, isRaised, !isTripped, marked + markedRetries > 0 else { return }
        if attempt > 1 { markedRetries -= 1 } else { marked -= 1 }
        isSampling = true
    }

    private mutating func beginSample() {
        era = era == .max ? 1 : era + 1
        (marked, markedRetries, isSampling) = (0, 0, true)
    }

    private mutating func count(_ attempt: UInt32) {
        if attempt > 1 { retries += 1 } else { answers += 1 }
    }

    private var isOutage: Bool { answers >= answersMax || answers + retries >= retriesMax }

    /// A fault that no healthy answer overtakes, like the deadline of a stream: it is not put off.
    public mutating func certain(attempt: UInt32, decides: Bool, now: Timestamp) -> Step {
        count(attempt)
        return step(decides || isOutage, now)
    }

    /// A connection came to nothing, or refused its first stream.
    public mutating func connection(decides: Bool, now: Timestamp) -> Step {
        connections += 1
        return step(decides || connections >= connectionsMax, now)
    }

    /// An answer that only a provider that works gives; `decides`: it was a probe's first.
    ///
    /// True when it tells that the faults were the devices': what was put off takes its rungs.
    public mutating func healthy(mark: UInt16, decides: Bool) -> Bool {
        if decides { isWatching = false }
        guard decides || mark != 0 && mark == era || faults == 0 else {
            others += 1
            return false
        }
        forget()
        // The answers of others must not hide the probe's.
        isRaised = isWatching
        return true
    }

    /// Devices were put off, and no request is under way or waits to be made; `mayAsk`: whether any of them may be asked.
    public mutating func drained(mayAsk: Bool) -> Drained {
        let mayBeOutage = mayAsk && !isAsking && !isTripped && faults >= answersMax && faults > others
        let since = self.since
        forget()
        isRaised = isWatching
        guard mayBeOutage else { return .charge }
        (isAsking, isRaised, self.since) = (true, true, since)
        beginSample()
        return .ask(retriesMax)
    }

    private mutating func forget() {
        (answers, retries, faults, others, connections) = (0, 0, 0, 0, 0)
        (since, isTripped, isRaised, isAsking, isSampling) = (nil, false, false, false, false)
    }

    private mutating func step(_ trips: Bool, _ now: Timestamp) -> Step {
        isRaised = true
        let since = self.since ?? now
        self.since = since
        if isTripped { return .hold }
        guard trips else { return .putOff }
        (isTripped, isSampling) = (true, false)
        return .trip(since: since)
    }
}
