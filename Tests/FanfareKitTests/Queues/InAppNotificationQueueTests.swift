import Foundation
import Testing

@testable import FanfareKit

/// The order and times of campaigns shown inside the app.
@Suite struct InAppNotificationQueueTests {
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    private func entry(_ name: String, until end: Date? = nil) throws -> InAppNotificationQueue.Entry {
        InAppNotificationQueue.Entry(push: try push(["c": name, "m": name], aps: ["alert": "x"]), expiresAt: end)
    }

    /// Returns a queue with the app in front.
    private func queue() -> InAppNotificationQueue {
        var queue = InAppNotificationQueue(now: start)
        _ = queue.surroundings(isActive: true, now: start)
        return queue
    }

    @Test func `one is told of at a time, the oldest first, and each end lets the next one come`() throws {
        var queue = queue()
        let (one, two) = (try entry("one"), try entry("two"))
        #expect(queue.arrived(one, now: start) == [.show(one.push)])
        #expect(queue.arrived(two, now: start) == [])
        #expect(queue.drawn(one.push) == [.track(one.push, .displayed)] && queue.drawn(one.push) == [])
        #expect(queue.ended(one.push, .exited, now: start) == [.track(one.push, .exited), .show(two.push)])
        #expect(queue.ended(one.push, .actioned("x"), now: start) == [])
        let reason = InAppNotificationQueue.End.dropped(reason: "Declined")
        #expect(queue.ended(two.push, reason, now: start) == [.track(two.push, reason)])
        #expect(queue.arrived(one, now: start) == [] && queue.arrived(two, now: start) == [])
    }

    @Test func `behind, while a page is on the screen and after its end, none is told of`() throws {
        var queue = InAppNotificationQueue(now: start)
        let (one, two) = (try entry("one"), try entry("two", until: start + 10))
        #expect(queue.arrived(one, now: start) == [] && queue.arrived(two, now: start) == [])
        #expect(queue.surroundings(isActive: true, isFree: false, now: start) == [])
        #expect(queue.surroundings(isFree: true, now: start) == [.show(one.push)])
        #expect(queue.ended(one.push, .exited, now: start + 10).last == .track(one.push, .exited))
        #expect(queue.waiting.isEmpty)
    }

    @Test func `a view that is gone without a word is exited after five seconds in front`() throws {
        var queue = queue()
        let one = try entry("one")
        _ = queue.arrived(one, now: start)
        _ = queue.drawn(one.push)
        queue.disappeared(one.push, now: start)
        #expect(queue.wakeAt == start + 5 && queue.tick(now: start + 4) == [])
        _ = queue.surroundings(isActive: false, now: start + 4)
        #expect(queue.wakeAt == nil && queue.tick(now: start + 100) == [])
        _ = queue.surroundings(isActive: true, now: start + 100)
        queue.appeared(one.push)
        queue.disappeared(one.push, now: start + 100)
        #expect(queue.tick(now: start + 105) == [.track(one.push, .exited)])
    }

    @Test func `what the system told of is not told of inside, and leaves the screen`() throws {
        var queue = queue()
        let (one, two) = (try entry("one"), try entry("two"))
        #expect(queue.wasTold("one", now: start) == [] && queue.arrived(one, now: start) == [])
        _ = queue.arrived(two, now: start)
        #expect(queue.wasTold("two", now: start) == [.hide(two.push)])
        #expect(queue.drawn(two.push) == [] && queue.current == nil)
    }

    @Test func `what waits and what is known are bounded, and the newest are known`() throws {
        var queue = InAppNotificationQueue(now: start)
        for number in 0..<60 { _ = queue.arrived(try entry("w\(number)"), now: start) }
        #expect(queue.waiting.count == 50 && !queue.hasRoom && !queue.knows("w50"))
        for number in 0..<1100 { _ = queue.wasTold("t\(number)", now: start) }
        #expect(queue.told.count == 1000 && queue.knows("t1099") && !queue.knows("t99"))
    }
}
