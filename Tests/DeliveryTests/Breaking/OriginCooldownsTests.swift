import Campaigns
import Delivery
import Testing

@Suite struct OriginCooldownsTests {
    private func trip(rest: Duration? = nil) -> Breaker.Trip {
        Breaker.Trip(reason: "Status503", since: Fixtures.now, rest: rest)
    }

    @Test func `one that is out cooldowns for itself, longer with each fault after a rest, until it answers well`() {
        var cooldowns = OriginCooldowns<String>()
        var (now, waits): (Timestamp, [Int64]) = (Fixtures.now, [])
        for _ in 1...8 {
            cooldowns.begin("a", trip(), now: now)
            var seconds: Int64 = 0
            while cooldowns.reason("a", now: now.advanced(by: .seconds(seconds))) != nil { seconds += 1 }
            waits.append(seconds)
            now = now.advanced(by: .seconds(seconds))
        }
        #expect(waits == [5, 10, 20, 40, 80, 160, 300, 300])
        let (reason, other) = (cooldowns.reason("b", now: Fixtures.now), cooldowns.isDoubted("b"))
        #expect(reason == nil && !other)
        let isDoubted = cooldowns.isDoubted("a")
        #expect(isDoubted)
        cooldowns.end("a")
        cooldowns.begin("a", trip(), now: now)
        let (before, after) = (
            cooldowns.reason("a", now: now.advanced(by: .seconds(4))),
            cooldowns.reason("a", now: now.advanced(by: .seconds(5)))
        )
        #expect(before == "Status503" && after == nil)
    }

    @Test func `a Retry-After is kept to, two hours of it`() {
        var cooldowns = OriginCooldowns<String>()
        cooldowns.begin("a", trip(rest: .seconds(90)), now: Fixtures.now)
        cooldowns.begin("b", trip(rest: .seconds(86_400)), now: Fixtures.now)
        let reasons = [("a", 89), ("a", 90), ("b", 7199), ("b", 7200)].map { name, seconds in
            cooldowns.reason(name, now: Fixtures.after(Int64(seconds)))
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
        var cooldowns = OriginCooldowns<Int>(most: 100)
        for origin in 0..<10_000 { cooldowns.begin(origin, trip(), now: Fixtures.now) }
        let known = (0..<10_000).filter { cooldowns.isDoubted($0) }
        #expect(known == Array(9900..<10_000))
    }
}
