import Synchronization

/// A bucket for each token, or address where there is none; may be used from any thread.
final class RateLimiter: Sendable {
    private let limits: Mutex<RequestLimits>

    init(perSecond: Int) { limits = Mutex(RequestLimits(perSecond: perSecond)) }

    /// Buckets that are kept.
    var count: Int { limits.withLock { $0.count } }

    /// Counts a request; otherwise how long to wait before the next.
    func take(_ name: String, now: ContinuousClock.Instant) -> Duration? { limits.withLock { $0.take(name, now: now) } }
}

/// Buckets by name in a bounded memory that forgets nobody who has asked too often; no clock of its own.
///
/// A bucket is dropped when it is full again, with which nothing is lost. When none is and there are as many as may be,
/// names that are new share buckets by their hash: they may wait for one another, and the guilty gain nothing.
struct RequestLimits: Sendable {
    /// Buckets that are kept at most; a stranger with many addresses gets no more memory.
    static let bucketsMax = 8000
    /// Buckets that names share when there are no others.
    static let sharedMax = 1024
    /// Between two looks for full buckets: a stranger is not to make each request cost a look at all of them.
    private static let pause = Duration.milliseconds(100)

    private let perSecond: Int
    private var buckets: [String: TokenBucket] = [:]
    private var shared: [Int: TokenBucket] = [:]
    private var sweptAt: ContinuousClock.Instant?

    init(perSecond: Int) { self.perSecond = perSecond }

    /// Buckets that are kept.
    var count: Int { buckets.count + shared.count }

    /// Counts a request; otherwise how long to wait before the next.
    mutating func take(_ name: String, now: ContinuousClock.Instant) -> Duration? {
        if var bucket = buckets[name] {
            defer { buckets[name] = bucket }
            return bucket.take(now: now)
        }
        if buckets.count >= Self.bucketsMax { sweep(now) }
        var bucket = TokenBucket(perSecond: perSecond, burst: perSecond * 2, now: now)
        guard buckets.count >= Self.bucketsMax else {
            defer { buckets[name] = bucket }
            return bucket.take(now: now)
        }
        let place = Int(UInt(bitPattern: name.hashValue) % UInt(Self.sharedMax))
        bucket = shared[place] ?? bucket
        defer { shared[place] = bucket }
        return bucket.take(now: now)
    }

    private mutating func sweep(_ now: ContinuousClock.Instant) {
        if let sweptAt, now - sweptAt < Self.pause { return }
        sweptAt = now
        buckets = buckets.filter { !$0.value.isFull(at: now) }
        shared = shared.filter { !$0.value.isFull(at: now) }
    }
}
