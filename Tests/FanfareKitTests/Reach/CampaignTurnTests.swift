import Foundation
import Testing

@testable import FanfareKit

/// One campaign on the screen at a time.
@Suite struct CampaignTurnTests {
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    private func push(_ campaign: String) throws -> PushMessage {
        try #require(PushMessage(["fanfare": ["c": campaign, "k": "announcement"] as [String: Any]]))
    }

    @Test func `the next comes when the one before was acted on, left, answered or dropped`() throws {
        let ends: [CampaignTurn.End] = [.actioned("buy"), .exited, .answered, .dropped(reason: "NoPresenter")]
        for end in ends {
            var turn = CampaignTurn(isActive: true, now: start)
            let (one, two) = (try push("one"), try push("two"))
            #expect(turn.arrived(one) == [.present(one)])
            #expect(turn.arrived(two) == [] && turn.arrived(one) == [])
            #expect(turn.displayed(one) == [.track(one, .displayed)])
            #expect(turn.displayed(one) == [] && turn.displayed(two) == [])
            #expect(turn.ended(one, end) == [.track(one, end), .present(two)])
            // Only once: later calls do not count.
            #expect(turn.ended(one, .exited) == [])
            #expect(turn.current == two && turn.waiting.isEmpty)
        }
    }

    @Test func `a view that is gone without a word is left after five seconds in front`() throws {
        var turn = CampaignTurn(isActive: true, now: start)
        let (one, two) = (try push("one"), try push("two"))
        _ = turn.arrived(one)
        _ = turn.arrived(two)
        _ = turn.displayed(one)
        #expect(turn.tick(now: start + 1000) == [] && turn.wakeAt == nil)
        #expect(turn.disappeared(one, now: start + 1000) == [])
        #expect(turn.wakeAt == start + 1005)
        #expect(turn.tick(now: start + 1003) == [])
        // Seconds in the background do not count.
        #expect(turn.became(active: false, now: start + 1004) == [] && turn.wakeAt == nil)
        #expect(turn.became(active: true, now: start + 5000) == [])
        #expect(turn.wakeAt == start + 5001)
        #expect(turn.tick(now: start + 5001) == [.track(one, .exited), .present(two)])
    }

    @Test func `a view that comes back is not left`() throws {
        var turn = CampaignTurn(isActive: true, now: start)
        let one = try push("one")
        _ = turn.arrived(one)
        _ = turn.disappeared(one, now: start)
        _ = turn.appeared(one)
        #expect(turn.tick(now: start + 60) == [] && turn.current == one)
    }
}
