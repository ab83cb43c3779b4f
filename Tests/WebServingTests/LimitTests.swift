import Testing

@testable import WebServing

/// Rate limits, with the test's own clock.
@Suite struct LimitTests {
    @Test func `a bucket is emptied at once and fills as time passes`() throws {
        let start = ContinuousClock.now
        var bucket = TokenBucket(perSecond: 2, burst: 3, now: start)
        for _ in 0..<3 { #expect(bucket.take(now: start) == nil) }
        let taken = bucket.take(now: start)
        let wait = try #require(taken)
        #expect(wait == .milliseconds(500))
        #expect(bucket.take(now: start + .milliseconds(499)) != nil)
        #expect(bucket.take(now: start + .milliseconds(500)) == nil)
        var later = bucket
        #expect(!later.isFull(at: start + .seconds(1)) && later.isFull(at: start + .seconds(60)))
        // However long nobody asked, no more than the burst is available.
        for _ in 0..<3 { #expect(later.take(now: start + .seconds(60)) == nil) }
        #expect(later.take(now: start + .seconds(60)) != nil)
    }

    @Test func `each has a bucket of his own, and strangers do not fill the memory`() {
        let start = ContinuousClock.now
        let limiter = RateLimiter(perSecond: 1)
        #expect(limiter.take("a", now: start) == nil && limiter.take("a", now: start) == nil)
        #expect(limiter.take("a", now: start) != nil && limiter.take("b", now: start) == nil)
        for number in 0..<30_000 { _ = limiter.take("stranger \(number)", now: start) }
        #expect(limiter.count <= 10_000)
        // A full table is no way to be forgotten: a limited client waits, whoever comes meanwhile.
        #expect(limiter.take("a", now: start) != nil)
        for number in 0..<30_000 { _ = limiter.take("stranger \(number)", now: start + .milliseconds(900)) }
        #expect(limiter.take("a", now: start + .milliseconds(900)) != nil)
        // With time all budgets are full again, and none is stored.
        #expect(limiter.take("c", now: start + .seconds(10)) == nil)
        #expect(limiter.count < 100)
    }
}
