import Campaigns
import Delivery
import Testing

@Suite struct SentJobTests {
    private let sent = SentJob(identity: [1], at: Fixtures.now)
    private let job = Job(id: "derby", app: "news", audience: .everyone, content: Content())

    private func holder(after time: Duration, refusedAt: Timestamp? = nil) -> IntakeDecision.Holder {
        sent.holder(refusedAt: refusedAt, now: Fixtures.now.advanced(by: time))
    }

    private func decision(_ identity: [UInt8]) -> IntakeDecision? {
        IntakeDecision.known(job: job, identity: identity, holder: holder(after: .seconds(1)))
    }

    @Test func `a sent job holds its key until its verdict: the same job exists, another one is a conflict`() {
        #expect(decision([1]) == .existing(campaign: nil))
        #expect(decision([2]) == .conflict(.campaignConflict(app: "news", id: "derby")))
    }

    @Test func `a sent job is remembered for ten minutes, and not when a wrong clock wrote it`() {
        #expect(holder(after: SentJob.time) == .sent(identity: [1]))
        #expect(holder(after: SentJob.time + .milliseconds(1)) == .none)
        #expect(holder(after: .zero - FutureLimit.tolerance) == .sent(identity: [1]))
        #expect(holder(after: .zero - FutureLimit.tolerance - .milliseconds(1)) == .none)
    }

    @Test func `a refusal since then frees the key, an earlier one does not`() {
        #expect(holder(after: .seconds(1), refusedAt: Fixtures.now) == .none)
        let earlier = Fixtures.now.advanced(by: .milliseconds(-1))
        #expect(holder(after: .seconds(1), refusedAt: earlier) == .sent(identity: [1]))
    }
}
