import Campaigns
import Testing

@testable import Fleet
@testable import Operations

/// The waiting times of jobs.
struct WaitTimesTests {
    @Test func `a wait falls into the first bucket that holds it, and none is negative`() {
        var times = WaitTimes()
        let now = Timestamp(milliseconds: 1_000_000_500)
        times.add(published: 1_000_000, now: now)  // half a second
        times.add(published: 999_998, now: now)  // 2.5 s
        times.add(published: 990_000, now: now)  // beyond all buckets
        times.add(published: 1_000_007, now: now)  // a producer whose clock is ahead
        #expect(times.counts == [2, 1] + Array(repeating: 0, count: WaitTimes.bounds.count - 2) + [1])
        #expect(times.total == 0.5 + 2.5 + 10_000.5)
    }

    @Test func `a histogram is cumulated, and its last bucket is all of it`() {
        var page = Exposition()
        page.histogram("wait", [("queue", "bulk")], [1, 2.5], [3, 0, 2], sum: 7.5)
        let lines = page.text.split(separator: "\n")
        #expect(
            lines == [
                #"wait_bucket{queue="bulk",le="1.0"} 3"#, #"wait_bucket{queue="bulk",le="2.5"} 3"#,
                #"wait_bucket{queue="bulk",le="+Inf"} 5"#, #"wait_sum{queue="bulk"} 7.5"#,
                #"wait_count{queue="bulk"} 5"#,
            ]
        )
    }
}
