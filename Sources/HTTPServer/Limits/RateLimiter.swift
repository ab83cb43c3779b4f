import Synchronization

/// A bucket for each token, or address where there is none; may be used from any thread.
final class RateLimiter: Sendable {
    /// Buckets that are kept at most; a stranger with many addresses gets no more memory.
    private static let bucketsMax = 10_000

    private let perSecond: Int
    private let buckets = Mutex<[String: TokenBucket]>([:])

    init(perSecond: Int) {
        self.perSecond = perSecond
    }

    /// Buckets that are kept.
    var count: Int { buckets.withLock { $0.count } }

    /// Counts a request; otherwise how long to wait before the next.
    func take(_ name: String, now: ContinuousClock.Instant) -> Duration? {
        buckets.withLock { buckets in
            if buckets.count >= Self.bucketsMax, buckets[name] == nil { Self.forget(&buckets, now) }
            var bucket = buckets[name] ?? TokenBucket(perSecond: perSecond, burst: perSecond * 2, now: now)
            let wait = bucket.take(now: now)
            buckets[name] = bucket
            return wait
        }
    }

    /// Drops those that are full; when none is, all: better a few requests too many than memory without end.
    private static func forget(_ buckets: inout [String: TokenBucket], _ now: ContinuousClock.Instant) {
        var kept: [String: TokenBucket] = [:]
        for (name, bucket) in buckets {
            var bucket = bucket
            if !bucket.isFull(now: now) { kept[name] = bucket }
        }
        buckets = kept.count < bucketsMax ? kept : [:]
    }
}
