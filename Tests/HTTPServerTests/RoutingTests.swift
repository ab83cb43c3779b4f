import Campaigns
import HTTPTypes
import Testing

@testable import HTTPServer

/// The meaning of a request's target, decided without a server.
@Suite struct RoutingTests {
    private func operation(_ method: HTTPRequest.Method, _ path: String) -> String? {
        guard let segments = RequestTarget.segments(path[...]),
            case .route(let route, _) = RouteTable.match(method, segments)
        else { return nil }
        return route.operation
    }

    @Test func `an id may have colons and words of ours`() throws {
        #expect(operation(.get, "/v1/campaigns/news/a:pause") == "getCampaign")
        #expect(operation(.post, "/v1/campaigns/news/a:b:pause") == "pauseCampaign")
        let segments = try #require(RequestTarget.segments("/v1/campaigns/news/a:b:pause"))
        guard case .route(_, let values) = RouteTable.match(.post, segments) else {
            Issue.record("no route")
            return
        }
        #expect(values == ["app": "news", "id": "a:b"])
    }

    @Test func `a path takes some methods, and says which`() {
        guard case .otherMethod(let methods) = RouteTable.match(.delete, ["v1", "campaigns"]) else {
            Issue.record("the method was taken")
            return
        }
        #expect(Set(methods) == [.get, .post])
        #expect(operation(.head, "/livez") == "livez")
        #expect(operation(.get, "/v1/nothing") == nil && operation(.post, "/v1/campaigns/news/:pause") == nil)
    }

    @Test func `names and methods are the routes' own`() {
        let names = RouteTable.all.map(\.operation)
        #expect(Set(names).count == names.count)
        let places = RouteTable.all.map { "\($0.method.rawValue) \($0.path)" }
        #expect(Set(places).count == places.count)
    }

    @Test func `segments are decoded after they are cut`() {
        #expect(RequestTarget.segments("/v1/a%2Fb/%C3%A9+") == ["v1", "a/b", "é+"])
        for bad in ["/%", "/%4", "/%zz", "/%FF"] { #expect(RequestTarget.segments(bad[...]) == nil) }
        let query = RequestTarget.query("state=a&state=b+c&x=%26")
        #expect(query?.map(\.name) == ["state", "state", "x"] && query?.map(\.value) == ["a", "b c", "&"])
        #expect(RequestTarget.query("a=%") == nil)
    }

    @Test func `a parameter that a route does not take is refused`() throws {
        let query = Query([("limit", "5"), ("limit", "6"), ("state", "a"), ("state", "b")])
        #expect(throws: HTTPProblem.self) { try query.allow(["limit"], repeated: ["state"]) }
        #expect(throws: HTTPProblem.self) { try Query([("limits", "5")]).allow(["limit"]) }
        #expect(throws: HTTPProblem.self) { try Query([("limit", "0")]).number("limit", in: 1...9, default: 3) }
        #expect(try Query().number("limit", in: 1...9, default: 3) == 3)
    }
}

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
