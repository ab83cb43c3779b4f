import Campaigns
import Delivery
import Testing

@Suite struct RetentionTests {
    private let retention = Retention()
    private func ago(days: Int64, _ more: Int64 = 0) -> Timestamp {
        Fixtures.now.advanced(by: .zero - .seconds(days * 86_400) - .milliseconds(more))
    }

    @Test func `a campaign goes in two steps, counted from its end`() {
        func verdict(_ end: Timestamp?) -> Retention.Verdict { retention.verdict(completedAt: end, now: Fixtures.now) }
        #expect(verdict(nil) == .keep)
        #expect(verdict(ago(days: 30, -1)) == .keep)
        #expect(verdict(ago(days: 30)) == .forgetOutcomes)
        #expect(verdict(ago(days: 90, -1)) == .forgetOutcomes)
        #expect(verdict(ago(days: 90)) == .forget)
        #expect(verdict(Fixtures.after(3600)) == .keep)
    }

    @Test func `what somebody uses or waits for stays, however old it is`() {
        let old = ago(days: 4000)
        #expect(!retention.forgetsList(touchedAt: old, isUsed: true, now: Fixtures.now))
        #expect(retention.forgetsList(touchedAt: old, isUsed: false, now: Fixtures.now))
        #expect(!retention.forgetsList(touchedAt: ago(days: 29), isUsed: false, now: Fixtures.now))
        #expect(!retention.forgetsParked(lastAt: old, isOfLiveCampaign: true, now: Fixtures.now))
        #expect(retention.forgetsParked(lastAt: old, isOfLiveCampaign: false, now: Fixtures.now))
        #expect(!retention.forgetsParked(lastAt: ago(days: 29), isOfLiveCampaign: false, now: Fixtures.now))
        #expect(retention.forgetsRefusal(at: ago(days: 90), now: Fixtures.now))
        #expect(!retention.forgetsRefusal(at: ago(days: 89), now: Fixtures.now))
    }

    @Test func `it looks once an hour, and more often when something is kept for less than a day`() {
        #expect(retention.pause == .seconds(3600))
        #expect(Retention(parked: .seconds(240)).pause == .seconds(10))
        #expect(Retention(campaigns: .zero).pause == .seconds(1))
    }
}
