/// A rate limit: so many requests at once, and so many a second; no clock of its own.
struct TokenBucket: Sendable, Equatable {
    private let capacity: Double
    private let perSecond: Double
    private var level: Double
    private var at: ContinuousClock.Instant

    /// Makes a full bucket.
    init(perSecond: Int, burst: Int, now: ContinuousClock.Instant) {
        capacity = Double(burst)
        self.perSecond = Double(perSecond)
        level = Double(burst)
        at = now
    }

    /// Takes a token; returns the time until there is one if there is none.
    mutating func take(now: ContinuousClock.Instant) -> Duration? {
        refill(now)
        guard level < 1 else {
            level -= 1
            return nil
        }
        return .seconds((1 - level) / perSecond)
    }

    /// Returns true if the bucket is full: dropping it loses nothing.
    func isFull(at now: ContinuousClock.Instant) -> Bool {
        var bucket = self
        bucket.refill(now)
        return bucket.level >= capacity
    }

    private mutating func refill(_ now: ContinuousClock.Instant) {
        let passed = now - at
        guard passed > .zero else { return }
        at = now
        let seconds = Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18
        level = min(capacity, level + seconds * perSecond)
    }
}
