import Delivery
import Testing

/// The time for which a worker gathers what bulk sending writes.
@Suite struct CommitPauseTests {
    private var pause = CommitPause()
    private var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)

    /// Commits so many writes, and takes the pause; returns it.
    private mutating func commit(_ writes: Int, after idle: Duration = .zero) -> Duration {
        let began = now.advanced(by: idle)
        let ended = began.advanced(by: .milliseconds(1))
        let rest = pause.committed(writes, from: began, to: ended)
        now = ended.advanced(by: rest)
        return rest
    }

    /// Commits what comes at this rate for ten seconds; returns the commits in the last five.
    private mutating func commits(writesPerSecond rate: Double) -> Int {
        let (start, middle) = (now, now.advanced(by: .seconds(5)))
        var (written, commits) = (0, 0)
        while now.since(start) < .seconds(10) {
            let come = Int(now.since(start) / .seconds(1) * rate) - written
            guard come > 0 else {
                now = now.advanced(by: .microseconds(100))
                continue
            }
            _ = commit(come)
            written += come
            if now > middle { commits += 1 }
        }
        return commits
    }

    @Test mutating func `the pause grows while commits bring little, to 40 ms`() {
        #expect(commit(1) == .milliseconds(5))
        var rests: [Duration] = []
        for _ in 0..<8 { rests.append(commit(3)) }
        #expect(rests == rests.sorted() && rests.first == .microseconds(7500) && rests.last == .milliseconds(40))
    }

    @Test mutating func `it shrinks while they bring much, to 5 ms, and stays as it is in between`() {
        for _ in 0..<8 { _ = commit(1) }
        #expect(commit(CommitPause.enough) == .milliseconds(40) && commit(CommitPause.enough / 2) == .milliseconds(40))
        #expect((0..<4).map { _ in commit(CommitPause.enough + 1) } == [20, 10, 5, 5].map { .milliseconds($0) })
    }

    @Test mutating func `after a quiet time the pause is short again`() {
        for _ in 0..<8 { _ = commit(1) }
        #expect(commit(1, after: .milliseconds(40)) == .milliseconds(40))
        #expect(commit(1, after: .milliseconds(41)) == .milliseconds(5))
    }

    @Test mutating func `four workers with a quarter of the writes each commit hardly more often than one with all`() {
        for rate in [800.0, 1_200, 1_600] {
            self = Self()
            let one = commits(writesPerSecond: rate)
            self = Self()
            let four = 4 * commits(writesPerSecond: rate / 4)
            // With the shortest pause of each it would be up to four times as often.
            #expect(Double(four) <= 1.6 * Double(one), "\(rate): \(one) and \(four)")
        }
    }

    @Test mutating func `what fills a commit in the shortest pause waits no longer`() {
        let commits = commits(writesPerSecond: 10_000)
        #expect(commits > 700)
    }

    @Test func `bounds that are given are kept, also if the longest is shorter than the shortest`() {
        var pause = CommitPause(least: .milliseconds(20), most: .milliseconds(10))
        for number in 0..<5 {
            let now = MonotonicInstant(nanoseconds: Int64(number) * 20_000_000)
            #expect(pause.committed(1, from: now, to: now) == .milliseconds(20))
        }
    }
}
