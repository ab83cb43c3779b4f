import Foundation
import Testing

@testable import FanfareKit

/// One campaign on the screen at a time.
@Suite struct CampaignQueueTests {
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    private func push(_ campaign: String) throws -> PushMessage {
        try #require(PushMessage(["fanfare": ["c": campaign, "k": "announcement"] as [String: Any]]))
    }

    @Test func `the next comes when the one before was acted on, left, answered or dropped`() throws {
        let ends: [CampaignQueue.End] = [.actioned("buy"), .exited, .answered, .dropped(reason: "NoPresenter")]
        for end in ends {
            var queue = CampaignQueue(isActive: true, now: start)
            let (one, two) = (try push("one"), try push("two"))
            #expect(queue.arrived(one) == [.present(one)])
            #expect(queue.arrived(two) == [] && queue.arrived(one) == [])
            #expect(queue.displayed(one) == [.track(one, .displayed)])
            #expect(queue.displayed(one) == [] && queue.displayed(two) == [])
            #expect(queue.ended(one, end) == [.track(one, end), .present(two)])
            // Only once: later calls do not count.
            #expect(queue.ended(one, .exited) == [])
            #expect(queue.current == two && queue.waiting.isEmpty)
        }
    }

    @Test func `a view that is gone without a word is left after five seconds in front`() throws {
        var queue = CampaignQueue(isActive: true, now: start)
        let (one, two) = (try push("one"), try push("two"))
        _ = queue.arrived(one)
        _ = queue.arrived(two)
        _ = queue.displayed(one)
        #expect(queue.tick(now: start + 1000) == [] && queue.wakeAt == nil)
        #expect(queue.disappeared(one, now: start + 1000) == [])
        #expect(queue.wakeAt == start + 1005)
        #expect(queue.tick(now: start + 1003) == [])
        // Seconds in the background do not count.
        #expect(queue.became(active: false, now: start + 1004) == [] && queue.wakeAt == nil)
        #expect(queue.became(active: true, now: start + 5000) == [])
        #expect(queue.wakeAt == start + 5001)
        #expect(queue.tick(now: start + 5001) == [.track(one, .exited), .present(two)])
    }

    @Test func `a view that comes back is not left`() throws {
        var queue = CampaignQueue(isActive: true, now: start)
        let one = try push("one")
        _ = queue.arrived(one)
        _ = queue.disappeared(one, now: start)
        _ = queue.appeared(one)
        #expect(queue.tick(now: start + 60) == [] && queue.current == one)
    }
}
