import Campaigns
import PushProviders
import Seeds
import Testing

@testable import Delivery

/// The time at which the last device is likely to be reached, and the limit that decides it.
@Suite struct ForecastTests {
    private let fcm = ProviderName(rawValue: "fcm")
    private let google = ProviderQuota(
        provider: ProviderName(rawValue: "fcm"),
        holder: "news-app-1",
        perMinute: FCMSettings.perMinuteOfGoogle
    )

    private func share(
        _ provider: ProviderName,
        _ devices: Int,
        error: Int = 0,
        _ limits: [ForecastLimit] = []
    ) -> ForecastAsk.Share {
        let estimate = AudienceEstimate(devices: devices, error: error)
        return ForecastAsk.Share(provider: provider, devices: estimate, limits: limits)
    }

    private func share(_ devices: Int, _ limits: [ForecastLimit] = []) -> ForecastAsk.Share {
        share(.apns, devices, limits)
    }

    private func rate(
        _ perSecond: Double,
        _ kind: ForecastLimit.Kind = .workers(loops: 1),
        basis: ForecastLimit.Basis = .set,
        ahead: [Int] = []
    ) -> ForecastLimit {
        ForecastLimit(kind, RampedRate(perSecond: perSecond), basis: basis, ahead: ahead)
    }

    private func forecast(
        _ shares: [ForecastAsk.Share],
        common: [ForecastLimit] = [],
        left: Duration? = nil
    ) -> Forecast {
        Forecast(ForecastAsk(shares, common: common, times: .init(begins: Fixtures.now, left: left)))
    }

    // MARK: The quota

    @Test func `four million Androids take seven minutes by Google's default quota`() throws {
        let forecast = forecast([
            share(fcm, 4_000_000, [rate(100_000), ForecastLimit(.quota(google), Pace(google))])
        ])
        // 297,000 in the first minute, which begins with a tenth, and 9,800 a second from there on.
        #expect(Int(forecast.span.likely) == 7 * 60 + 17)
        let one = try #require(forecast.shares.first)
        #expect(one.limit?.kind == .quota(google) && one.expiring == 0 && forecast.slow.isEmpty)
        #expect(forecast.reached?.likely == Fixtures.now.advanced(by: .milliseconds(437_863)))
        // A twentieth of them is asked twice, at the latest.
        #expect(Int(forecast.span.soonest) == 437 && Int(forecast.span.latest) == 458)
    }

    @Test func `a quota is for its provider's devices alone`() {
        let forecast = forecast([
            share(.apns, 4_000_000, [rate(100_000)]),
            share(fcm, 1_000_000, [ForecastLimit(.quota(google), Pace(google))]),
        ])
        #expect(forecast.shares.map { Int($0.span.likely) } == [40, 131])
        #expect(Int(forecast.span.likely) == 131)
    }

    @Test(arguments: [(6_000, 0), (6_000, 60), (588_000, 60), (600, 600)])
    func `a ramp takes the time that its slots take`(perMinute: Int, rampUp: Int) {
        let pace = Pace(perSecond: perMinute / 60, rampUp: rampUp)
        let rate = RampedRate(pace)
        for devices in [1, 10, 1_000, 50_000] {
            // Slot after slot of a twentieth of a second.
            var (sent, instant) = (0.0, Int64(0))
            while sent < Double(devices), instant < 1_000_000_000_000 {
                let step = Int64(50_000)
                sent += Double(pace.perMinute(at: instant, from: 0)) / 60e6 * Double(step)
                instant += step
            }
            let seconds = rate.seconds(for: Double(devices))
            #expect(abs(seconds - Double(instant) / 1e6) < 0.1 + seconds * 0.01, "\(devices): \(seconds)")
        }
    }

    // MARK: The limit that decides

    @Test func `the limit that takes the longest decides, and is named`() {
        let limits = [rate(500), rate(100, .connections(32)), rate(1_000, .appPerSecond)]
        #expect(forecast([share(100, limits)]).shares[0].limit?.kind == .connections(32))
        #expect(forecast([share(100, limits)], common: [rate(99, .perSecond)]).shares[0].limit?.kind == .perSecond)
        #expect(forecast([share(100)]).shares[0].limit == nil)
        #expect(forecast([share(100)]).span.likely == 0)
    }

    @Test func `under a common rate every provider ends with the last one`() {
        let forecast = forecast([share(.apns, 100), share(fcm, 300)], common: [rate(10, .perSecond)])
        #expect(forecast.shares.map { Int($0.span.likely) } == [40, 40])
    }

    @Test func `campaigns share a limit in turns, and at the latest all others come first`() {
        let small = forecast([share(100, [rate(10, ahead: [1_000, 50])])])
        #expect(Int(small.span.likely) == 25)
        #expect(Int(small.span.latest) == 115)
        let large = forecast([share(10_000, [rate(10, ahead: [1_000, 50])])])
        #expect(Int(large.span.likely) == 1_105)
    }

    @Test func `an estimate and an assumed figure make the span wide`() {
        let span = forecast([share(.apns, 1_000, error: 100, [rate(10, basis: .assumed)])]).span
        #expect(Int(span.soonest) == 90 && Int(span.likely) == 100 && Int(span.latest) == 231)
    }

    @Test(arguments: 0..<200)
    func `more devices, more ahead or a lower rate never make it sooner`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        func drawn() -> ForecastLimit {
            let rampUp = Double(random.below(3) * 30)
            let rate = RampedRate(
                perSecond: Double(1 + random.below(100_000)),
                rampUp: rampUp,
                floor: 0.05 + random.fraction() * 0.9,
                passed: random.fraction() * rampUp / 2
            )
            let ahead = (0..<random.below(4)).map { _ in random.below(1_000_000) }
            let basis = ForecastLimit.Basis.allCases[random.below(3)]
            return ForecastLimit(.workers(loops: 1), rate, basis: basis, ahead: ahead)
        }
        let limits = (0...random.below(3)).map { _ in drawn() }
        let common = (0..<random.below(3)).map { _ in drawn() }
        let devices = 1 + random.below(5_000_000)
        let left = Duration.seconds(random.below(2_000))
        func made(_ devices: Int, _ limits: [ForecastLimit]) -> Forecast {
            let share = share(.apns, devices, error: devices / 20, limits)
            return forecast([share, self.share(fcm, 1_000)], common: common, left: left)
        }
        let base = made(devices, limits)
        #expect(base.span.soonest <= base.span.likely && base.span.likely <= base.span.latest)
        #expect((0...devices + 1_000).contains(base.expiring))
        if base.slow.isEmpty { #expect(base.expiring == 0) }
        let slower = limits.map { limit in
            var limit = limit
            limit.rate = RampedRate(
                perSecond: limit.rate.perSecond / 2,
                rampUp: limit.rate.rampUp,
                floor: limit.rate.floor,
                passed: limit.rate.passed
            )
            return limit
        }
        let later = limits.map { limit in
            var limit = limit
            limit.ahead.append(random.below(1_000_000))
            return limit
        }
        for other in [made(devices + random.below(1_000_000), limits), made(devices, slower), made(devices, later)] {
            #expect(other.span.soonest >= base.span.soonest && other.span.likely >= base.span.likely)
            #expect(other.span.latest >= base.span.latest && other.expiring >= base.expiring)
        }
    }

    // MARK: The end

    @Test func `devices that the end comes too early for are counted, and the limit is told`() throws {
        let forecast = forecast([share(1_000, [rate(10)])], left: .seconds(60))
        #expect(forecast.expiring == 400)
        let slow = try #require(forecast.slow.first)
        #expect(slow.needed == .seconds(100) && slow.left == .seconds(60) && slow.expiring == 400)
        #expect(slow.provider == .apns && forecast.slow.count == 1)
        #expect(self.forecast([share(1_000, [rate(10)])], left: .seconds(100)).slow.isEmpty)
    }

    @Test func `others in the way may be what makes it too slow`() {
        #expect(forecast([share(1_000, [rate(10)])], left: .seconds(110)).expiring == 0)
        let forecast = forecast([share(1_000, [rate(10, ahead: [200])])], left: .seconds(110))
        #expect(forecast.expiring == 100 && forecast.slow.count == 1)
    }

    // MARK: Instants

    @Test func `the last part's beginning and its quiet hours count`() throws {
        let times = ForecastAsk.Times(
            begins: Fixtures.now,
            lastBegins: Fixtures.after(3_600),
            quiet: [Fixtures.after(3_650)..<Fixtures.after(10_000)]
        )
        let ask = ForecastAsk([share(1_000, [rate(10)])], times: times)
        let reached = try #require(Forecast(ask).reached)
        #expect(reached.soonest == Fixtures.after(3_600) && reached.likely == Fixtures.after(3_600))
        // 50 seconds before the quiet hours, and 55 behind them.
        #expect(reached.latest == Fixtures.after(10_055))
        #expect(Forecast(ForecastAsk(ask.shares, times: .init(begins: nil))).reached == nil)
    }
}
