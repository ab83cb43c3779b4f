import Delivery
import Testing

/// The ledger's writes when the error-ratio guard is asked: totals on the left, consequences on the right.
@Suite struct ContentPlanTests {
    private func plan(
        _ answers: Int,
        _ faults: Int,
        _ reasons: [String: Int] = ["BadTopic": 3],
        trips: Int = 0
    ) -> ContentPlan {
        var campaign = Fixtures.campaign()
        campaign.contentTrips = trips
        return ContentPlan(answers: answers, faults: faults, reasons: reasons, of: campaign)
    }

    @Test func `it waits for two hundred answers`() {
        #expect(plan(199, 199) == .waits)
    }

    @Test func `the campaign waits for a person, who is told how many and what for`() {
        let detail = "101 of 200 devices, for example BadTopic"
        #expect(plan(200, 101) == .pauses(.content, detail: detail))
        #expect(plan(200, 101, [:]) == .pauses(.content, detail: "101 of 200 devices"))
    }

    @Test func `the word is the most frequent one, of equals the first`() {
        let detail = "200 of 200 devices, for example PayloadTooLarge"
        #expect(plan(200, 200, ["BadTopic": 3, "PayloadTooLarge": 4]) == .pauses(.content, detail: detail))
        #expect(plan(200, 200, ["PayloadTooLarge": 4, "TopicDisallowed": 4]) == .pauses(.content, detail: detail))
    }

    @Test func `what was the devices' is counted anew, and so is everything of who resumed twice`() {
        #expect(plan(200, 100) == .countsAnew)
        #expect(plan(200, 200, trips: 1) != .countsAnew)
        #expect(plan(200, 200, trips: 2) == .countsAnew)
        #expect(plan(1, 1, trips: 2) == .countsAnew)
    }

    @Test func `a guard counts anew when a person takes away what it paused the campaign for, and only then`() {
        let guards = AsideReason.allCases.filter { $0.pausingGuard != nil }
        #expect(Set(guards) == [.wrongEnvironment, .content])
        #expect(AsideReason.wrongEnvironment.pausingGuard == .environment)
        #expect(AsideReason.content.pausingGuard == .content)
    }
}
