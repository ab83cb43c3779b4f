import Campaigns
import Delivery
import Testing

@Suite struct RungChoiceTests {
    private func decide(
        attempt: UInt32 = 1,
        most: UInt32 = 8,
        expiresIn: Int64 = 30 * 86_400,
        retryAfter: Duration? = nil,
        charged: Bool = true
    ) -> RungChoice.Decision {
        let situation = RungChoice.Situation(
            attempt: attempt,
            maxAttempts: most,
            expiresAt: Fixtures.after(expiresIn)
        )
        return RungChoice().decide(situation, retryAfter: retryAfter, charged: charged, now: Fixtures.now)
    }

    @Test func `charged attempts climb the ladder, and its top repeats`() {
        let rungs = (1...8 as ClosedRange<UInt32>).map { decide(attempt: $0, most: 99) }
        let expected: [Rung] = [.seconds5, .seconds30, .minutes2, .minutes10, .minutes30, .hours2, .hours2, .hours2]
        #expect(rungs == expected.map { .wait($0, notBefore: nil, charged: true) })
    }

    @Test func `a retry that is not charged takes the first rung at any attempt, the last one too`() {
        #expect(decide(attempt: 8, charged: false) == .wait(.seconds5, notBefore: nil, charged: false))
    }

    @Test func `the last attempt is the last`() {
        #expect(decide(attempt: 8) == .exhausted)
        #expect(decide(attempt: 9) == .exhausted)
    }

    @Test func `the rung is never below Retry-After, whatever it is`() {
        for seconds in stride(from: 0, through: 20_000, by: 7) {
            let wait = Duration.seconds(seconds)
            for attempt in 1...7 as ClosedRange<UInt32> {
                guard case .wait(let rung, let notBefore, let charged) = decide(attempt: attempt, retryAfter: wait)
                else {
                    Issue.record("no rung for \(seconds) s")
                    continue
                }
                #expect(
                    max(Fixtures.now.advanced(by: rung.delay), notBefore ?? Fixtures.now)
                        >= Fixtures.now.advanced(by: wait)
                )
                #expect(charged == (seconds <= 7200))
            }
        }
    }

    @Test func `beyond the ladder a device waits uncharged, even at its last attempt`() {
        let wait = Duration.seconds(3 * 3600)
        let expected = RungChoice.Decision.wait(.hours2, notBefore: Fixtures.after(3 * 3600), charged: false)
        #expect(decide(attempt: 8, retryAfter: wait) == expected)
    }

    @Test func `what could only come back too late is expired now`() {
        #expect(decide(expiresIn: 5) == .expired)
        #expect(decide(expiresIn: 6) == .wait(.seconds5, notBefore: nil, charged: true))
        #expect(decide(expiresIn: 3 * 3600, retryAfter: .seconds(3 * 3600)) == .expired)
        #expect(decide(expiresIn: 5, charged: false) == .expired)
    }
}
