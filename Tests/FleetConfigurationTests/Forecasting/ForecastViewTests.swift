import Campaigns
import Delivery
import PushProviders
import Testing

@testable import Operations

/// A forecast in words and numbers: never more digits than it knows.
@Suite struct ForecastViewTests {
    private let now = Timestamp(milliseconds: 1_790_000_000_000)

    private func forecast(
        _ devices: Int = 4_000_000,
        error: Int = 0,
        begins: Bool = true,
        left: Duration? = nil,
        ahead: [Int] = []
    ) -> Forecast {
        let quota = ProviderQuota(
            provider: ProviderName(rawValue: "fcm"),
            holder: "news-app-1",
            perMinute: FCMSettings.perMinuteOfGoogle
        )
        let share = ForecastAsk.Share(
            provider: quota.provider,
            devices: AudienceEstimate(devices: devices, error: error),
            limits: [ForecastLimit(.quota(quota), Pace(quota), ahead: ahead)]
        )
        return Forecast(ForecastAsk([share], times: .init(begins: begins ? now : nil, left: left)))
    }

    @Test func `people are told how long, why, and between which minutes the last device is reached`() {
        #expect(
            ForecastView(forecast()).lines == [
                "fcm: 4,000,000 devices in about 7 min: the quota of 600,000 a minute of news-app-1",
                "the last device is likely reached at 2026-09-21T14:21Z (between 2026-09-21T14:20Z and "
                    + "2026-09-21T14:21Z)",
            ]
        )
        let held = ForecastView(forecast(begins: false)).lines.last
        #expect(held == "the last device is likely reached 7 min after fire (7 min to 8 min)")
    }

    @Test func `an estimate is told with its error, others that wait with their number`() {
        let lines = ForecastView(forecast(1_000_000, error: 20_000, ahead: [123_456])).lines
        #expect(lines.first?.hasPrefix("fcm: about 1,000,000 ± 20,000 devices in about 2 min: the quota") == true)
        #expect(lines.first?.hasSuffix("beside about 120,000 devices of other campaigns") == true)
    }

    @Test func `who would expire is counted to two digits`() throws {
        let forecast = forecast(left: .seconds(300))
        #expect(ForecastView(forecast).lines.last?.hasSuffix("; about 1,400,000 devices would expire before") == true)
        #expect(ForecastView(forecast).json["expiring"]?.integer == 1_400_000)
    }

    @Test func `programs get the same with rounded numbers`() throws {
        let json = ForecastView(forecast()).json
        #expect(json["seconds"]?["likely"]?.integer == 440 && json["seconds"]?["latest"]?.integer == 460)
        #expect(json["reached_at"]?["likely"]?.string == "2026-09-21T14:21:00.000Z")
        let fcm = try #require(json["providers"]?.array?.first)
        #expect(fcm["provider"]?.string == "fcm" && fcm["limit"]?.string == "quota" && fcm["basis"]?.string == "set")
        #expect(fcm["per_second"]?.integer == 9_800 && fcm["devices"]?.integer == 4_000_000)
        #expect(ForecastView(forecast(begins: false)).json["reached_at"] == .null)
    }

    @Test func `nothing is said of what takes no time`() {
        #expect(ForecastView(forecast(3)).lines.isEmpty)
    }

    @Test(arguments: [
        (0.4, "less than a second"), (7.4, "7 s"), (37, "35 s"), (89.9, "1 min 30 s"), (437.9, "7 min"),
        (5400, "1 h 30 min"), (100_000, "1 d 4 h"),
    ])
    func `a time has as many parts as it is sure of`(seconds: Double, text: String) {
        #expect(RoundedText.span(seconds) == text)
    }
}
