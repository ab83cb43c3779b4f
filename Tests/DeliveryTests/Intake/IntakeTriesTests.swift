import Delivery
import Testing

@Suite struct IntakeTriesTests {
    private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }

    @Test func `a message that the ledger never takes is parked after five tries over a minute`() {
        var tries = IntakeTries()
        var now: Int64 = 0
        for _ in 1...4 {
            guard case .again(let pause) = tries.failed(isOfLedger: false, now: at(now)) else {
                return #expect(Bool(false), "parked at \(now) s")
            }
            now += pause.components.seconds
        }
        #expect(now == 60)
        #expect(tries.failed(isOfLedger: false, now: at(now)) == .park)
    }

    @Test func `tries that come faster than they are asked for park nothing before the minute is over`() {
        var tries = IntakeTries()
        for second in 0..<60 as Range<Int64> {
            #expect(tries.failed(isOfLedger: false, now: at(second)) != .park)
        }
        #expect(tries.failed(isOfLedger: false, now: at(60)) == .park)
    }

    @Test func `a ledger that is not there parks nothing, however long`() {
        var tries = IntakeTries()
        for hour in 0..<100 as Range<Int64> {
            #expect(tries.failed(isOfLedger: true, now: at(hour * 3600)) == .again(after: .seconds(1)))
        }
    }
}
