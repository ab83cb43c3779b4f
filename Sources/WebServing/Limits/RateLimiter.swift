import Campaigns
import HTTPTypes
import Synchronization

/// A token bucket for each name: an access token, a device or an address; may be used from any thread.
package final class RateLimiter: Sendable {
    private let limits: Mutex<RequestLimits>

    /// Allows each name so many requests a second, and twice as many at once.
    package init(perSecond: Int) { limits = Mutex(RequestLimits(perSecond: perSecond)) }

    /// The number of buckets kept.
    var count: Int { limits.withLock { $0.count } }

    /// Counts a request; over the limit, returns the time until the next one is allowed.
    package func take(_ name: String, now: ContinuousClock.Instant) -> Duration? {
        limits.withLock { $0.take(name, now: now) }
    }

    /// Counts a request; over the limit, throws 429 with the seconds until the next one is allowed.
    package func admit(_ name: String, refusal title: (_ seconds: Int64) -> String) throws(HTTPProblem) {
        guard let wait = take(name, now: .now) else { return }
        let seconds = max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
        throw HTTPProblem(.tooManyRequests, title(seconds), headers: [.retryAfter: String(seconds)])
    }
}

/// Buckets by name in bounded memory, in which a name over its limit is never forgotten; no clock of its own.
///
/// A full bucket is dropped, which loses nothing. When none is full and the bound is reached, new names share buckets
/// by their hash: they may delay one another, and an offender gains nothing.
struct RequestLimits: Sendable {
    /// The most buckets kept; a client with many addresses gets no more memory.
    static let bucketsMax = 8000
    /// The most buckets that new names share at the bound.
    static let sharedMax = 1024
    /// The time between two sweeps for full buckets: a client must not make each request cost a sweep.
    private static let pause = Duration.milliseconds(100)

    private let perSecond: Int
    private var buckets: [String: TokenBucket] = [:]
    private var shared: [Int: TokenBucket] = [:]
    private var sweptAt: ContinuousClock.Instant?

    init(perSecond: Int) { self.perSecond = perSecond }

    /// The number of buckets kept.
    var count: Int { buckets.count + shared.count }

    /// Counts a request; over the limit, returns the time until the next one is allowed.
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
        let index = Int(UInt(bitPattern: name.hashValue) % UInt(Self.sharedMax))
        bucket = shared[index] ?? bucket
        defer { shared[index] = bucket }
        return bucket.take(now: now)
    }

    private mutating func sweep(_ now: ContinuousClock.Instant) {
        if let sweptAt, now - sweptAt < Self.pause { return }
        sweptAt = now
        buckets = buckets.filter { !$0.value.isFull(at: now) }
        shared = shared.filter { !$0.value.isFull(at: now) }
    }
}
