/// How often somebody may ask: so many requests at once, and so many a second; no clock of its own.
struct TokenBucket: Sendable, Equatable {
    private let capacity: Double
    private let perSecond: Double
    private var level: Double
    private var at: ContinuousClock.Instant

    /// A full one.
    init(perSecond: Int, burst: Int, now: ContinuousClock.Instant) {
        capacity = Double(burst)
        self.perSecond = Double(perSecond)
        level = Double(burst)
        at = now
    }

    /// Takes one; otherwise how long it takes until there is one.
    mutating func take(now: ContinuousClock.Instant) -> Duration? {
        refill(now)
        guard level < 1 else {
            level -= 1
            return nil
        }
        return .seconds((1 - level) / perSecond)
    }

    /// Whether it is full: then nothing is lost when it is forgotten.
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
