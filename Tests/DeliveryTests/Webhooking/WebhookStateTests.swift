import Campaigns
import Delivery
import Seeds
import Testing

@Suite struct WebhookStateTests {
    private let start = Timestamp(milliseconds: 1_790_000_000_000)

    private func after(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: start.milliseconds + seconds * 1000) }

    @Test(arguments: [200, 201, 202, 204, 299])
    func `any status of the 200s is a yes, and forgets what failed before`(status: Int) {
        var (state, chance) = (WebhookState(dueAt: start), SeededRandom(seed: 7))
        _ = state.tried(.nothing("silent"), now: start, using: &chance)
        #expect(state.failures == 1 && state.failingSince == start && state.reason == "silent")
        #expect(state.tried(.status(status, retryAfter: nil), now: after(6), using: &chance) == .delivered)
        #expect(state == WebhookState(dueAt: after(6)))
    }

    @Test func `waits double from five seconds to an hour, never more, and a fifth less by chance`() {
        var (state, chance) = (WebhookState(dueAt: start), SeededRandom(seed: 7))
        var now = start
        var expected = 5.0
        for _ in 0..<40 {
            guard case .again(let at) = state.tried(.status(500, retryAfter: nil), now: now, using: &chance) else {
                Issue.record("given up after \(state.failures) tries")
                return
            }
            let wait = Double(at.milliseconds - now.milliseconds) / 1000
            #expect(wait >= expected * 0.8 - 0.001 && wait <= expected, "try \(state.failures): \(wait)")
            #expect(state.dueAt == at)
            expected = min(expected * 2, 3600)
            now = at
        }
    }

    @Test func `Retry-After is a floor, also above an hour`() {
        var (state, chance) = (WebhookState(dueAt: start), SeededRandom(seed: 7))
        #expect(
            state.tried(.status(503, retryAfter: 7200), now: start, using: &chance) == .again(at: after(7200))
        )
        // A Retry-After shorter than our own wait changes nothing.
        guard case .again(let at) = state.tried(.status(429, retryAfter: 1), now: after(7200), using: &chance) else {
            Issue.record("no second try")
            return
        }
        #expect(at >= after(7208))
    }

    @Test func `after three days of nothing but failures it is given up, at the end and not later`() {
        var (state, chance) = (WebhookState(dueAt: start), SeededRandom(seed: 7))
        var (now, tries) = (start, 0)
        while case .again(let at) = state.tried(.nothing("refused"), now: now, using: &chance) {
            #expect(at > now && at <= after(3 * 86_400))
            (now, tries) = (at, tries + 1)
        }
        #expect(state.disabledAt == after(3 * 86_400) && tries > 72)
        // A long Retry-After does not exceed that limit.
        var asked = WebhookState(dueAt: start)
        _ = asked.tried(.nothing("refused"), now: start, using: &chance)
        let late = after(3 * 86_400 - 60)
        #expect(
            asked.tried(.status(503, retryAfter: 86_400), now: late, using: &chance) == .again(at: after(3 * 86_400))
        )
    }

    @Test func `410 gives it up at once, and somebody who fixes it begins anew`() {
        var (state, chance) = (WebhookState(dueAt: start), SeededRandom(seed: 7))
        #expect(state.tried(.status(410, retryAfter: nil), now: start, using: &chance) == .disabled)
        #expect(state.disabledAt == start && state.reason == "status 410")
        state.resume(now: after(60))
        #expect(state == WebhookState(dueAt: after(60)))
    }

    @Test(arguments: [301, 302, 307, 308, 304])
    func `a redirect is a failure that says so`(status: Int) {
        var (state, chance) = (WebhookState(dueAt: start), SeededRandom(seed: 7))
        guard case .again = state.tried(.status(status, retryAfter: nil), now: start, using: &chance) else {
            Issue.record("a redirect was taken for an answer")
            return
        }
        #expect(state.reason == "status \(status): redirects are not followed")
    }
}
