import NIOCore
import Testing

@testable import Simulator

@Suite struct FaultsTests {
    private static let tokens: [Addressee] = (0..<20_000).map { number in
        Addressee(key: DeviceTokenKey(head: SIMD4(0, 0, 0, UInt64(number))))
    }

    private func faults(_ changes: [(String, String)]) throws -> Faults {
        var faults = Faults()
        for (name, value) in changes { try faults.set(name, to: value) }
        return faults
    }

    @Test func `shares are met, and a token's fate is always the same`() throws {
        let faults = try faults([("dead", "0.02"), ("once_503", "0.1"), ("unavailable", "0.005")])
        let draw = FaultDraw(faults, seed: 7)
        let first = Self.tokens.map(draw.behaviour)
        #expect(first == Self.tokens.map(FaultDraw(faults, seed: 7).behaviour))
        #expect(first != Self.tokens.map(FaultDraw(faults, seed: 8).behaviour))
        // Five standard deviations around 400, 2000 and 100.
        #expect((300...500).contains(first.count { $0 == .dead }))
        #expect((1788...2212).contains(first.count { $0 == .unavailableOnce }))
        #expect((50...150).contains(first.count { $0 == .unavailable }))
    }

    @Test func `the expected fates are those that come`() throws {
        let faults = try faults([("dead", "0.3"), ("rules", "00=ok,ff=500")])
        let tokens = ["00", "ff", "0f", "f0", "a1", "b2"].map { String(repeating: $0, count: 32) }
        let expected = faults.expectedBehaviours(of: tokens, seed: 3)
        let draw = FaultDraw(faults, seed: 3)
        for (behaviour, count) in expected {
            let seen = try tokens.count {
                let key = try #require(DeviceTokenKey(hexadecimal: Array($0.utf8)[...]))
                return draw.behaviour(of: Addressee(key: key)) == behaviour
            }
            #expect(seen == count)
        }
        #expect(expected[.internalError] == 1)
    }

    @Test func `once is once and never again`() throws {
        let draw = FaultDraw(try faults([("rules", "00=once-503")]), seed: 1)
        var counts = TokenCounts()
        var statuses: [Int] = []
        for _ in 0..<3 {
            guard case .behave(let behaviour) = draw.fate(of: Self.tokens[1], before: counts) else { continue }
            let answer = APNsAnswers.answer(to: behaviour, faults: draw.faults, now: 0)
            counts.note(.answer(answer), judged: true)
            statuses.append(answer.status)
        }
        #expect(statuses == [503, 200, 200])
        #expect(counts.accepted == 2)
        #expect(counts.requests == 3)
    }

    @Test func `a request that was refused is drawn anew`() throws {
        let draw = FaultDraw(try faults([("refuse", "0.5")]), seed: 1)
        var refusals = 0
        for token in Self.tokens.prefix(1000) {
            var counts = TokenCounts()
            while draw.fate(of: token, before: counts) == .refuse {
                counts.note(.refuse, judged: true)
                refusals += 1
                #expect(counts.refused < 64)
            }
            #expect(counts.requests == 0)
        }
        // A geometric distribution: 1000 refusals for 1000 tokens, give or take five times √2000.
        #expect((776...1224).contains(refusals))
    }

    @Test func `latencies fill their range and repeat with the seed`() throws {
        let draw = FaultDraw(try faults([("latency", "20-29")]), seed: 1)
        let latencies = Self.tokens.prefix(1000).map { draw.latency(of: $0.key, before: TokenCounts()) }
        #expect(Set(latencies) == Set(20...29))
        #expect(latencies == Self.tokens.prefix(1000).map { draw.latency(of: $0.key, before: TokenCounts()) })
    }

    @Test func `delayed reactions come by time, equal ones in order`() {
        var delayed = DelayedReactions()
        let times = [5, 3, 9, 3, 1, 9, 5, 0, 3]
        for (index, time) in times.enumerated() {
            delayed.add(.stall, streamID: Int32(index), due: .uptimeNanoseconds(UInt64(time)))
        }
        var order: [Int32] = []
        while let next = delayed.takeDue(.uptimeNanoseconds(5)) { order.append(next.streamID) }
        #expect(order == [7, 4, 1, 3, 8, 0, 6])
        #expect(delayed.earliest == .uptimeNanoseconds(9))
    }

    @Test func `a dead token's timestamp is in milliseconds`() throws {
        let draw = FaultDraw(try faults([("dead", "1"), ("dead_since", "60")]), seed: 1)
        #expect(draw.fate(of: Self.tokens[0], before: TokenCounts()) == .behave(.dead))
        let answer = APNsAnswers.answer(to: .dead, faults: draw.faults, now: 1_790_000_000_000)
        #expect(answer.status == 410)
        #expect(answer.body == Array(#"{"reason":"Unregistered","timestamp":1789999940000}"#.utf8))
    }

    @Test(arguments: [
        ("dead", "1.5"), ("dead", "many"), ("latency", "80-20"), ("latency", "-5"), ("rules", "x.y=dead"),
        ("rules", "00=gone"), ("stream_limits", "1,x"), ("goaway_every", "-1"), ("deda", "0.1"), ("storm", "yes"),
        ("rules", "00=BadWeather"), ("retry_after", "é"),
    ])
    func `a fault that makes no sense is refused and nothing changes`(_ name: String, _ value: String) {
        var faults = Faults()
        #expect(throws: FaultsError.self) { try faults.set(name, to: value) }
        #expect(faults == Faults())
    }

    @Test func `shares cannot add up to more than all tokens`() throws {
        var faults = try faults([("dead", "0.6")])
        #expect(throws: FaultsError.self) { try faults.set("bad_token", to: "0.5") }
    }

    @Test func `what the faults say of themselves sets them again`() throws {
        let faults = try faults([
            ("latency", "20-80"), ("dead", "0.25"), ("rules", "00=once-503,ff=stall,0a=BadTopic,0b=huge-400"),
            ("stream_limits", "1000,1,0"),
            ("storm", "true"), ("clock_offset", "-4200"), ("goaway_reason", "Shutdown"),
        ])
        guard case .object(let members) = try JSONNode(parsing: Array(faults.json.utf8)[...]) else {
            Issue.record("no object")
            return
        }
        var again = Faults()
        for (name, value) in members { try again.set(name, to: try #require(value.string)) }
        #expect(again == faults)
    }
}
