import Campaigns
import PushProviders
import Testing

@testable import Delivery

/// A provider's quota and its ramp (C2: from nothing to the maximum over at least a minute).
struct QuotaPacingTests {
    private let now = Timestamp(milliseconds: 1_790_000_000_000)
    private var instant: Int64 { now.milliseconds * 1000 }

    private func pace(_ perMinute: Int) -> Pace {
        Pace(ProviderQuota(provider: ProviderName(rawValue: "fcm"), holder: "news", perMinute: perMinute))
    }

    /// Returns the times of requests of a planner that runs every 50 to 140 ms between two seconds after now.
    private func begun(_ line: inout PaceLine, devices: Int, from: Int, to: Int) -> [Int64] {
        var (begun, clock, step): ([Int64], Timestamp, Int) = ([], now.advanced(by: .seconds(from)), 0)
        while clock < now.advanced(by: .seconds(to)) {
            var lines = [line]
            while let slot = Pacing.slot(devices: devices, lines: &lines, now: clock) {
                for position in 0..<devices { begun.append(slot.instant(of: position, among: devices)) }
            }
            line = lines[0]
            clock = clock.advanced(by: .milliseconds(50 + step * 37 % 90))
            step += 1
        }
        return begun
    }

    private func count(_ begun: [Int64], in seconds: Range<Int>) -> Int {
        begun.count {
            (instant + Int64(seconds.lowerBound) * 1_000_000..<instant + Int64(seconds.upperBound) * 1_000_000)
                .contains($0)
        }
    }

    /// Returns the most requests in any minute, at any beginning.
    private func most(_ begun: [Int64]) -> Int {
        var (start, most) = (0, 0)
        for (index, instant) in begun.enumerated() {
            while instant - begun[start] >= 60_000_000 { start += 1 }
            most = max(most, index - start + 1)
        }
        return most
    }

    @Test(arguments: [(600_000, 500), (6000, 24), (100, 1), (30, 1)])
    func `no minute has more than the quota, and after the ramp each has nearly all of it`(quota: Int, devices: Int) {
        var line = PaceLine(pace: pace(quota))
        let begun = begun(&line, devices: devices, from: 0, to: 190)
        #expect(begun == begun.sorted())
        #expect(most(begun) <= quota)
        #expect(count(begun, in: 65..<185) >= quota * 2 * 95 / 100 - 1)
    }

    @Test func `it begins with a tenth and grows for a minute`() {
        var line = PaceLine(pace: pace(60_000))
        let begun = begun(&line, devices: 50, from: 0, to: 70)
        // A tenth of 980 a second; each second a sixtieth more.
        #expect((90...110).contains(count(begun, in: 1..<2)))
        #expect((440...540).contains(count(begun, in: 30..<31)))
        #expect((950...1000).contains(count(begun, in: 65..<66)))
    }

    @Test func `after a minute of nothing the ramp begins anew, after ten seconds ten seconds of it`() {
        var short = PaceLine(pace: pace(60_000))
        _ = begun(&short, devices: 50, from: 0, to: 80)
        var long = short
        let soon = begun(&short, devices: 50, from: 91, to: 94)
        #expect((780...850).contains(count(soon, in: 92..<93)))
        let late = begun(&long, devices: 50, from: 145, to: 148)
        #expect((90...130).contains(count(late, in: 146..<147)))
    }

    @Test func `a trickle does not keep the whole rate open`() {
        var line = PaceLine(pace: pace(60_000))
        _ = begun(&line, devices: 50, from: 0, to: 80)
        for second in 80..<200 { Pacing.charge(1, to: &line, now: now.advanced(by: .seconds(second))) }
        let bulk = begun(&line, devices: 50, from: 200, to: 203)
        #expect((90...130).contains(count(bulk, in: 201..<202)))
    }

    @Test func `a campaign's own ramp is not lost while it rests`() {
        var line = PaceLine(pace: Pace(perSecond: 1000, rampUp: 60))
        _ = begun(&line, devices: 50, from: 0, to: 70)
        let later = begun(&line, devices: 50, from: 300, to: 302)
        #expect(count(later, in: 301..<302) >= 990)
    }

    @Test func `what went without a slot is taken from what waits`() {
        var line = PaceLine(pace: pace(6000), first: instant - 60_000_000, next: instant)
        Pacing.charge(49, to: &line, now: now)
        #expect(line.next == instant + 500_000)
        var lines = [line]
        #expect(Pacing.slot(devices: 24, lines: &lines, now: now)?.begins == instant + 500_000)
        Pacing.charge(9800, to: &line, now: now)
        lines = [line]
        #expect(Pacing.slot(devices: 24, lines: &lines, now: now.advanced(by: .seconds(90))) == nil)
        #expect(Pacing.slot(devices: 24, lines: &lines, now: now.advanced(by: .seconds(100))) != nil)
    }

    @Test func `a quota holds back its own devices and nobody else's`() {
        var common = [PaceLine(pace: Pace(perSecond: 2000))]
        var quota: PaceLine? = PaceLine(pace: pace(6000))
        var none: PaceLine?
        var (limited, free, clock) = (0, 0, now)
        for _ in 0..<100 {
            while Pacing.slot(devices: 24, lines: &common, quota: &quota, now: clock) != nil { limited += 24 }
            while Pacing.slot(devices: 100, lines: &common, quota: &none, now: clock) != nil { free += 100 }
            clock = clock.advanced(by: .milliseconds(100))
        }
        // Ten seconds and the second ahead: 2,000 a second together, of which the limited part is the first of the
        // ramp.
        #expect((20_000...22_100).contains(limited + free), "\(limited) and \(free)")
        #expect((98...220).contains(limited))
        #expect(Pacing.rest(common, quota: quota, now: clock) >= 0)
    }

    @Test func `under a quota alone a request may be a second late, and no later`() {
        let slot = Slot(begins: Fixtures.now.milliseconds * 1000, length: 100_000)
        for (milliseconds, sent) in [(950, 5), (1050, 2), (1200, 0)] {
            let now = Fixtures.now.advanced(by: .milliseconds(milliseconds))
            var run = ShardRun(
                shard: Fixtures.shard(5),
                epoch: 1,
                progress: Progress(count: 5),
                slot: slot,
                lateness: Pacing.quotaLateness,
                now: now
            )
            var count = 0
            while run.next(now: now) != nil { count += 1 }
            #expect(count == sent, "\(milliseconds) ms")
        }
    }

    @Test func `a quota is kept a little below, and never at nothing`() {
        #expect(pace(600_000).perMinute == 588_000)
        #expect(pace(30).perMinute == 29)
        #expect(pace(1).perMinute == 1)
        #expect(pace(30).perSecond == 1)
    }
}
