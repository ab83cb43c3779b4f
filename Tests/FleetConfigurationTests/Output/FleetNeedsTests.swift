import Campaigns
import Testing

@testable import Fleet

/// What `status` says that a person has to do.
@Suite struct FleetNeedsTests {
    @Test(arguments: [
        (1, "1 message is parked: see fanfare parked list"),
        (1200, "1,200 messages are parked: see fanfare parked list"),
    ])
    func `parked messages are counted as people count`(count: Int, text: String) {
        var facts = FleetFacts(at: Timestamp(milliseconds: 0))
        facts.parkedInLedger = count
        #expect(facts.view(since: facts).needs.contains(text))
    }

    @Test func `nothing parked needs nobody`() {
        let facts = FleetFacts(at: Timestamp(milliseconds: 0))
        #expect(!facts.view(since: facts).needs.contains { $0.contains("parked") })
    }
}
