import Campaigns
import Delivery
import Testing

@Suite struct OriginRestsTests {
    private func trip(rest: Duration? = nil) -> Breaker.Trip {
        Breaker.Trip(reason: "Status503", since: Fixtures.now, rest: rest)
    }

    @Test func `one that is out rests for itself, longer with each fault after a rest, until it answers well`() {
        var rests = OriginRests<String>()
        var (now, waits): (Timestamp, [Int64]) = (Fixtures.now, [])
        for _ in 1...8 {
            rests.begin("a", trip(), now: now)
            var seconds: Int64 = 0
            while rests.reason("a", now: now.advanced(by: .seconds(seconds))) != nil { seconds += 1 }
            waits.append(seconds)
            now = now.advanced(by: .seconds(seconds))
        }
        #expect(waits == [5, 10, 20, 40, 80, 160, 300, 300])
        let (reason, other) = (rests.reason("b", now: Fixtures.now), rests.isDoubted("b"))
        #expect(reason == nil && !other)
        let isDoubted = rests.isDoubted("a")
        #expect(isDoubted)
        rests.end("a")
        rests.begin("a", trip(), now: now)
        let (before, after) = (
            rests.reason("a", now: now.advanced(by: .seconds(4))), rests.reason("a", now: now.advanced(by: .seconds(5)))
        )
        #expect(before == "Status503" && after == nil)
    }

    @Test func `a Retry-After is kept to, two hours of it`() {
        var rests = OriginRests<String>()
        rests.begin("a", trip(rest: .seconds(90)), now: Fixtures.now)
        rests.begin("b", trip(rest: .seconds(86_400)), now: Fixtures.now)
        let reasons = [("a", 89), ("a", 90), ("b", 7199), ("b", 7200)].map { name, seconds in
            rests.reason(name, now: Fixtures.after(Int64(seconds)))
        }
        #expect(reasons.map { $0 != nil } == [true, false, true, false])
    }

    @Test func `only so many are remembered, those that were used last`() {
        var table = RecentlyUsed<Int, String>(most: 3)
        for name in 1...3 { table[name] = "\(name)" }
        let used = table[1]
        table[4] = "4"
        #expect(used == "1" && table.count == 3)
        let left = (1...4).map { table[$0] }
        #expect(left == ["1", nil, "3", "4"])
        table[3] = nil
        table[5] = "5"
        let all = (1...5).map { table[$0] }
        #expect(all == ["1", nil, nil, "4", "5"])
        var rests = OriginRests<Int>(most: 100)
        for origin in 0..<10_000 { rests.begin(origin, trip(), now: Fixtures.now) }
        let known = (0..<10_000).filter { rests.isDoubted($0) }
        #expect(known == Array(9900..<10_000))
    }
}
