import Campaigns
import Delivery
import Testing

@testable import Fleet

/// The log's lines and the counters about devices that are tried again.
@Suite struct RetryNoticesTests {
    private let now = Timestamp(milliseconds: 1_795_204_510_000)

    private func settlement(_ reasons: [String]) throws -> Settlement {
        var progress = Progress(count: reasons.count + 1)
        progress.accept(reasons.count)
        for (position, reason) in reasons.enumerated() {
            progress.retry(position, position.isMultiple(of: 2) ? .seconds5 : .seconds30, Progress.Note(reason: reason))
        }
        return try #require(Settlement.make(progress: progress, attempt: 1))
    }

    @Test func `a retry has its reasons, and a settlement those of all its retries`() throws {
        let settlement = try settlement(["Shutdown", "TooManyRequests", "TooManyRequests"])
        #expect(settlement.retryReasons == ["Shutdown": 1, "TooManyRequests": 2])
        #expect(settlement.retries.map(\.reasons) == [["Shutdown": 1, "TooManyRequests": 1], ["TooManyRequests": 1]])
        #expect(settlement.reasons.isEmpty)
    }

    @Test func `a campaign has a line for each minute, with all that came since the last one`() throws {
        var notices = RetryNotices()
        let two = try settlement(["Shutdown", "TooManyRequests"])
        #expect(notices.settled(try settlement([]), of: 1, now: now) == nil)
        #expect(notices.settled(two, of: 1, now: now) == ["Shutdown": 1, "TooManyRequests": 1])
        #expect(notices.settled(two, of: 1, now: now.advanced(by: .seconds(59))) == nil)
        #expect(notices.settled(two, of: 2, now: now.advanced(by: .seconds(59))) != nil)
        let later = now.advanced(by: RetryNotices.pause)
        #expect(notices.settled(two, of: 1, now: later) == ["Shutdown": 2, "TooManyRequests": 2])
        #expect(notices.settled(two, of: 1, now: later) == nil)
    }

    @Test func `the campaigns that are remembered are limited`() throws {
        var notices = RetryNotices()
        let one = try settlement(["Shutdown"])
        for campaign in 0..<3000 {
            #expect(notices.settled(one, of: UInt32(campaign), now: now.advanced(by: .milliseconds(campaign))) != nil)
        }
        #expect(notices.settled(one, of: 2999, now: now.advanced(by: .seconds(4))) == nil)
        #expect(notices.settled(one, of: 0, now: now.advanced(by: .seconds(4))) != nil)
    }
}
