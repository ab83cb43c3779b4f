import Delivery
import Testing

@Suite struct WarmEndpointsTests {
    private static let wide = WarmEndpoints<String>.Limits(most: 100, ofHost: 100)

    private static func at(_ seconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 0).advanced(by: .seconds(seconds))
    }

    @Test func `an endpoint is kept for an hour after one campaign, however many shards that had`() {
        var warm = WarmEndpoints<String>()
        for second in 0..<50 { warm.used("news", host: "apple", now: Self.at(second)) }
        #expect(warm.kept(within: Self.wide, now: Self.at(3600)) == ["news"])
        #expect(warm.kept(within: Self.wide, now: Self.at(3601)).isEmpty)
        #expect(warm.count == 0, "it is forgotten")
    }

    @Test func `an endpoint that is used again and again is kept for longer, but not for ever`() {
        var warm = WarmEndpoints<String>()
        for minute in 0..<(24 * 60) { warm.used("news", host: "apple", now: Self.at(minute * 60)) }
        let last = (24 * 60 - 1) * 60
        #expect(warm.kept(within: Self.wide, now: Self.at(last + 7 * 3600)) == ["news"])
        #expect(warm.kept(within: Self.wide, now: Self.at(last + 8 * 3600)).isEmpty)
    }

    @Test func `those used most are kept when there are too many, those used last among equals`() {
        var warm = WarmEndpoints<String>()
        warm.used("often", host: "apple", now: Self.at(0))
        warm.used("often", host: "apple", now: Self.at(60))
        warm.used("old", host: "apple", now: Self.at(100))
        warm.used("new", host: "apple", now: Self.at(200))
        let limits = WarmEndpoints<String>.Limits(most: 2, ofHost: 100)
        #expect(warm.kept(within: limits, now: Self.at(200)) == ["often", "new"])
    }

    @Test func `a host gets its own number at most, and others take the rest`() {
        var warm = WarmEndpoints<String>()
        for number in 0..<5 { warm.used("apple-\(number)", host: "apple", now: Self.at(number)) }
        warm.used("google", host: "google", now: Self.at(0))
        let limits = WarmEndpoints<String>.Limits(most: 10, ofHost: 2)
        #expect(warm.kept(within: limits, now: Self.at(10)) == ["apple-4", "apple-3", "google"])
    }

    @Test func `what a held campaign needs is kept whatever the limits, for as long as it is said`() {
        var warm = WarmEndpoints<String>()
        let none = WarmEndpoints<String>.Limits(worker: 0, loops: 2, workers: 3)
        warm.used("news", host: "apple", now: Self.at(0))
        warm.needed("held", host: "apple", now: Self.at(0))
        #expect(warm.kept(within: none, now: Self.at(29)) == ["held"])
        #expect(warm.kept(within: none, now: Self.at(30)).isEmpty)
    }

    @Test func `a fleet keeps no more connections to a host with a hundred workers than with one`() {
        for workers in [1, 2, 7, 64, 100, 256] {
            for loops in [1, 2] {
                var all = 0
                for _ in 0..<(workers * loops) {
                    var warm = WarmEndpoints<Int>()
                    for app in 0..<300 { warm.used(app, host: "apple", now: Self.at(0)) }
                    let limits = WarmEndpoints<Int>.Limits(worker: 1000, loops: loops, workers: workers)
                    all += warm.kept(within: limits, now: Self.at(1)).count
                }
                #expect(all <= WarmEndpoints<Int>.hostMax && all >= workers * loops)
            }
        }
    }

    @Test func `a worker's number is shared among its loops, and each has at least one`() {
        typealias Limits = WarmEndpoints<String>.Limits
        #expect(Limits(worker: 32, loops: 4, workers: 1) == Limits(most: 8, ofHost: 128))
        #expect(Limits(worker: 2, loops: 4, workers: 1000) == Limits(most: 1, ofHost: 1))
        #expect(Limits(worker: 0, loops: 4, workers: 1) == Limits(most: 0, ofHost: 0))
    }
}
