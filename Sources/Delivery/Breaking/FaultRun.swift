public import Campaigns

/// Counts how many faults follow one another at one endpoint, as one event loop sees it: what opens a breaker.
///
/// Confined to that loop. An accepted device asks `isRaised` and does nothing else while there is no fault.
public struct FaultRun: Sendable {
    /// Answers in a row, to first attempts, that say that the provider is unwell.
    public static let answersMax = 20
    /// The same to later attempts: where only the devices are left that always fail, it is not the provider.
    public static let retriesMax = 200
    /// Connections in a row that came to nothing.
    public static let connectionsMax = 5

    /// What follows from a fault.
    public enum Step: Equatable, Sendable {
        /// The device takes its rung.
        case count
        /// The provider is out, not the device: it stays pending, and the breaker opens.
        case trip(since: Timestamp)
        /// The same; the breaker knows.
        case hold
    }

    /// Whether a healthy answer would change anything.
    public private(set) var isRaised = false
    private let answersMax: Int
    private let connectionsMax: Int
    private var answers = 0
    private var retries = 0
    private var connections = 0
    private var since: Timestamp?
    private var isTripped = false
    private var isWatching = false

    /// No fault.
    public init(answersMax: Int = Self.answersMax, connectionsMax: Int = Self.connectionsMax) {
        self.answersMax = answersMax
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

    /// A fault; `attempt` is its shard's, from 1; `decides`: it was a probe's.
    public mutating func answer(attempt: UInt32, decides: Bool, now: Timestamp) -> Step {
        if attempt > 1 { retries += 1 } else { answers += 1 }
        return step(decides || answers >= answersMax || retries >= Self.retriesMax, now)
    }

    /// A connection came to nothing, or refused its first stream.
    public mutating func connection(decides: Bool, now: Timestamp) -> Step {
        connections += 1
        return step(decides || connections >= connectionsMax, now)
    }

    /// An answer that only a provider that works gives; `decides`: it was a probe's first.
    public mutating func healthy(decides: Bool) {
        if decides { isWatching = false }
        forget()
        // The answers of others must not hide the probe's.
        isRaised = isWatching
    }

    private mutating func forget() {
        (answers, retries, connections) = (0, 0, 0)
        (since, isTripped, isRaised) = (nil, false, false)
    }

    private mutating func step(_ trips: Bool, _ now: Timestamp) -> Step {
        isRaised = true
        let since = self.since ?? now
        self.since = since
        if isTripped { return .hold }
        guard trips else { return .count }
        isTripped = true
        return .trip(since: since)
    }
}
