import Delivery
import Testing

@Suite("Answer times")
struct AnswerTimesTests {
    @Test func `an answer is counted in the first bucket whose bound it does not pass`() {
        var times = AnswerTimes()
        for nanoseconds in [0, 5_000_000, 5_000_001, 9_999_999, 10_000_000_000, 10_000_000_001] as [Int64] {
            times.add(nanoseconds: nanoseconds)
        }
        #expect(times.counts.prefix(2) == [2, 2])
        #expect(times.counts.suffix(2) == [1, 1])
        #expect(times.count == 6)
        #expect(times.total == 20_020_000_001)
    }

    @Test func `the times of two pools add up`() {
        var (one, other) = (AnswerTimes(), AnswerTimes())
        one.add(nanoseconds: 1)
        other.add(nanoseconds: 1)
        other.add(nanoseconds: 60_000_000)
        one.add(other)
        #expect(one.counts[0] == 2)
        #expect(one.counts[4] == 1)
        #expect(one.total == 60_000_002)
    }
}
