import Delivery
import Testing

@Suite struct DeadlineFairnessTests {
    @Test func `a timer in time judges at once, a late one after the loop has read`() {
        var fairness = DeadlineFairness()
        func at(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: milliseconds * 1_000_000) }
        #expect(fairness.postponed(due: at(0), now: at(500)) == nil)
        #expect(fairness.postponed(due: at(600), now: at(20_000)) == at(20_100))
        // Another timer that comes before that judges nothing either.
        #expect(fairness.postponed(due: at(20_005), now: at(20_005)) == at(20_100))
        #expect(fairness.postponed(due: at(20_100), now: at(20_101)) == nil)
    }

    @Test func `a loop that is always late judges one time in four`() {
        var fairness = DeadlineFairness()
        var judged = 0
        for round in 1...40 {
            let due = MonotonicInstant(nanoseconds: Int64(round) * 2_000_000_000)
            if fairness.postponed(due: due, now: due.advanced(by: .seconds(1))) == nil { judged += 1 }
        }
        #expect(judged == 10)
    }
}
