import Campaigns
import Delivery
import PushProviders
import Testing

@testable import Operations

/// The warning about devices that expire before their turn, as far as settings tell.
@Suite struct TooSlowTests {
    private let now = Timestamp(milliseconds: 1_790_000_000_000)

    private func job(perSecond: Int?, rampUp: Int = 0, minutes: Int = 12) -> Job {
        var delivery = DeliveryOptions()
        (delivery.perSecond, delivery.rampUp) = (perSecond, rampUp)
        delivery.expiry = .at(now.advanced(by: .seconds(minutes * 60)))
        return Job(
            id: "derby",
            app: "news",
            audience: .list(name: "fans", version: nil),
            content: Content(),
            delivery: delivery
        )
    }

    private func warnings(_ job: Job, devices: Int = 4_000_000, app: Int? = nil) -> [String] {
        TooSlow.warnings(job, devices: devices, appPace: app.map { Pace(perSecond: $0) }, now: now).map(\.detail)
    }

    @Test func `a rate that does not reach everybody before the end is told with both times`() {
        #expect(
            warnings(job(perSecond: 5000)) == [
                "4,000,000 devices at 5,000/s take 13 min 20 s; the end leaves 12 min: about 400,000 would expire"
            ]
        )
    }

    @Test func `a rate that does is not worth a word, nor none at all`() {
        #expect(warnings(job(perSecond: 5000, minutes: 14)).isEmpty)
        #expect(warnings(job(perSecond: nil)).isEmpty)
        #expect(warnings(job(perSecond: 1), devices: 0).isEmpty)
    }

    @Test func `the app's rate counts when it is the smaller one`() {
        #expect(warnings(job(perSecond: nil), app: 5000).count == 1)
        #expect(warnings(job(perSecond: 100_000), app: 5000).count == 1)
        #expect(warnings(job(perSecond: 100_000), app: 200_000).isEmpty)
    }

    @Test func `a provider's quota counts for its devices, with its ramp`() {
        let quota = ProviderQuota(provider: ProviderName(rawValue: "fcm"), holder: "news-app-1", perMinute: 600_000)
        func details(_ devices: Int, minutes: Int = 12, _ change: (inout Job) -> Void = { _ in }) -> [String] {
            var job = job(perSecond: nil, minutes: minutes)
            change(&job)
            return TooSlow.warnings(job, devices: devices, appPace: nil, quotas: [(quota, devices)], now: now)
                .map(\.detail)
        }
        #expect(
            details(7_056_000) == [
                "7,056,000 devices of fcm at its quota of 600,000 a minute take 12 min 29 s; the end leaves 12 min: "
                    + "about 290,000 would expire"
            ]
        )
        #expect(details(6_000_000).isEmpty)
        // At the first tenth of the ramp these take ten seconds.
        #expect(details(9800, minutes: 1).isEmpty && details(0).isEmpty)
        #expect(details(7_056_000) { $0.delivery.policy.urgency = .urgent }.isEmpty)
    }

    @Test func `what a ramp costs counts`() {
        #expect(warnings(job(perSecond: 6000), devices: 4_200_000).isEmpty)
        #expect(warnings(job(perSecond: 6000, rampUp: 60), devices: 4_200_000).count == 1)
    }
}
