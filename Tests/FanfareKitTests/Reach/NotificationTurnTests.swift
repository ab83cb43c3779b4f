import Foundation
import Testing

@testable import FanfareKit

/// The order and times of campaigns shown inside the app.
@Suite struct NotificationTurnTests {
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    private func telling(_ name: String, until end: Date? = nil) throws -> NotificationTurn.Telling {
        NotificationTurn.Telling(push: try push(["c": name, "m": name], aps: ["alert": "x"]), expiresAt: end)
    }

    /// Returns a turn with the app in front.
    private func turn() -> NotificationTurn {
        var turn = NotificationTurn(now: start)
        _ = turn.surroundings(isActive: true, now: start)
        return turn
    }

    @Test func `one is told of at a time, the oldest first, and each end lets the next one come`() throws {
        var turn = turn()
        let (one, two) = (try telling("one"), try telling("two"))
        #expect(turn.arrived(one, now: start) == [.show(one.push)])
        #expect(turn.arrived(two, now: start) == [])
        #expect(turn.drawn(one.push) == [.track(one.push, .displayed)] && turn.drawn(one.push) == [])
        #expect(turn.ended(one.push, .exited, now: start) == [.track(one.push, .exited), .show(two.push)])
        #expect(turn.ended(one.push, .actioned("x"), now: start) == [])
        let reason = NotificationTurn.End.dropped(reason: "Declined")
        #expect(turn.ended(two.push, reason, now: start) == [.track(two.push, reason)])
        #expect(turn.arrived(one, now: start) == [] && turn.arrived(two, now: start) == [])
    }

    @Test func `behind, while a page is on the screen and after its end, none is told of`() throws {
        var turn = NotificationTurn(now: start)
        let (one, two) = (try telling("one"), try telling("two", until: start + 10))
        #expect(turn.arrived(one, now: start) == [] && turn.arrived(two, now: start) == [])
        #expect(turn.surroundings(isActive: true, isFree: false, now: start) == [])
        #expect(turn.surroundings(isFree: true, now: start) == [.show(one.push)])
        #expect(turn.ended(one.push, .exited, now: start + 10).last == .track(one.push, .exited))
        #expect(turn.waiting.isEmpty)
    }

    @Test func `a view that is gone without a word is exited after five seconds in front`() throws {
        var turn = turn()
        let one = try telling("one")
        _ = turn.arrived(one, now: start)
        _ = turn.drawn(one.push)
        turn.disappeared(one.push, now: start)
        #expect(turn.wakeAt == start + 5 && turn.tick(now: start + 4) == [])
        _ = turn.surroundings(isActive: false, now: start + 4)
        #expect(turn.wakeAt == nil && turn.tick(now: start + 100) == [])
        _ = turn.surroundings(isActive: true, now: start + 100)
        turn.appeared(one.push)
        turn.disappeared(one.push, now: start + 100)
        #expect(turn.tick(now: start + 105) == [.track(one.push, .exited)])
    }

    @Test func `what the system told of is not told of inside, and leaves the screen`() throws {
        var turn = turn()
        let (one, two) = (try telling("one"), try telling("two"))
        #expect(turn.wasTold("one", now: start) == [] && turn.arrived(one, now: start) == [])
        _ = turn.arrived(two, now: start)
        #expect(turn.wasTold("two", now: start) == [.hide(two.push)])
        #expect(turn.drawn(two.push) == [] && turn.current == nil)
    }

    @Test func `what waits and what is known are bounded, and the newest are known`() throws {
        var turn = NotificationTurn(now: start)
        for number in 0..<60 { _ = turn.arrived(try telling("w\(number)"), now: start) }
        #expect(turn.waiting.count == 50 && !turn.hasRoom && !turn.knows("w50"))
        for number in 0..<1100 { _ = turn.wasTold("t\(number)", now: start) }
        #expect(turn.told.count == 1000 && turn.knows("t1099") && !turn.knows("t99"))
    }
}
