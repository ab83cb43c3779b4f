import Campaigns
import Delivery
import PushProviders
import Testing

/// A stored instant further ahead than its kind permits counts as passed.
@Suite struct FutureLimitTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    @Test(arguments: [FutureLimit.done, .lease, .webhookLease, .webhookCooldown, .probe, .breakerCooldown, .rung])
    func `what can be meant is waited for, and nothing else`(kind: FutureLimit) {
        let now = Self.now
        #expect(kind.isPassed(now, now: now))
        #expect(!kind.isPassed(now.advanced(by: .milliseconds(1)), now: now))
        let longest = now.advanced(by: kind.longest + FutureLimit.tolerance)
        #expect(!kind.isPassed(longest, now: now))
        #expect(kind.isPassed(longest.advanced(by: .milliseconds(1)), now: now))
        #expect(kind.limit(now) == longest)
    }

    @Test(arguments: [7200, 86_400]) func `a breaker that a wrong clock has closed opens again`(seconds: Int64) {
        let now = Self.now
        var breaker = Breaker(opening: Breaker.Trip(reason: "Shutdown", since: now), now: now)
        let key = ShardKey(campaign: 1, part: 0, ordinal: 0)
        let later = now.advanced(by: .seconds(seconds))
        breaker.begin(key, now: later)
        let hasEnded = breaker.ended(key, .healthy, now: later)
        #expect(hasEnded)
        // The clock is right again: the closing lies in the future.
        #expect(breaker.gate.pace(now: now) == Breaker.paceMax)
        let isOpened = breaker.open(Breaker.Trip(reason: "Shutdown", since: now), now: now)
        #expect(isOpened)
    }

    @Test func `a late word of what a probe has refuted opens nothing`() {
        let now = Self.now
        var breaker = Breaker(opening: Breaker.Trip(reason: "Shutdown", since: now), now: now)
        let key = ShardKey(campaign: 1, part: 0, ordinal: 0)
        let later = now.advanced(by: .seconds(10))
        breaker.begin(key, now: later)
        let hasEnded = breaker.ended(key, .healthy, now: later)
        #expect(hasEnded)
        let isOpened = breaker.open(Breaker.Trip(reason: "Shutdown", since: now), now: later)
        #expect(!isOpened)
    }

    @Test func `a probe that a wrong clock has put off, or begun, is due`() {
        let now = Self.now
        let later = now.advanced(by: .seconds(86_400))
        var breaker = Breaker(opening: Breaker.Trip(reason: "Shutdown", since: later), now: later)
        #expect(breaker.isProbeDue(now: now))
        #expect(breaker.isProbeDue(attempt: 2, now: now))
        breaker.begin(ShardKey(campaign: 1, part: 0, ordinal: 0), now: later)
        #expect(breaker.isProbeDue(now: now))
    }

    @Test(arguments: [(1, 600), (1, 7200), (100, 120), (2000, 30), (2000, 86_400)])
    func `a line that a wrong clock has moved gives turns away at once`(perSecond: Int, seconds: Int64) {
        let now = Self.now
        let later = now.advanced(by: .seconds(seconds))
        var lines = [PaceLine(pace: Pace(perSecond: perSecond))]
        #expect(Pacing.slot(devices: 1, lines: &lines, now: later) != nil)
        #expect(Pacing.rest(lines, now: now) == 0)
        let slot = Pacing.slot(devices: 1, lines: &lines, now: now)
        #expect(slot?.begins == now.milliseconds * 1000 + Pacing.notice)
    }

    @Test func `a quota that a wrong clock has moved gives turns away at once, and its ramp begins anew`() {
        let now = Self.now
        let later = now.advanced(by: .seconds(7200))
        var quota: PaceLine? = PaceLine(
            pace: Pace(ProviderQuota(provider: ProviderName(rawValue: "fcm"), holder: "p", perMinute: 600_000))
        )
        if var line = quota {
            Pacing.charge(10_000, to: &line, now: later)
            quota = line
        }
        var lines: [PaceLine] = []
        let slot = Pacing.slot(devices: 500, lines: &lines, quota: &quota, now: now)
        #expect(slot?.begins == now.milliseconds * 1000 + Pacing.notice)
        #expect(quota?.first == slot?.begins)
    }

    @Test func `what can be ahead stays there: a line keeps its rate`() {
        let now = Self.now
        var lines = [PaceLine(pace: Pace(perSecond: 10))]
        var begins: Int64 = 0
        while let slot = Pacing.slot(devices: 2, lines: &lines, now: now) {
            #expect(slot.begins >= begins)
            begins = slot.begins + slot.length
        }
        #expect(begins >= now.milliseconds * 1000 + Pacing.lead)
        #expect(lines[0].next == begins)
    }
}
