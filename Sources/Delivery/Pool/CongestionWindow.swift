/// The largest number of streams that a pool may have open at once, judged by how long answers take.
///
/// A provider that gets more requests than it can answer lets them wait. A request that waits past its stream deadline
/// has an unknown outcome, and its device is sent to again. So a pool begins with the streams of one connection. Each
/// answer in good time adds one (slow start, RFC 5681 section 3.1). When most answers are slow the window is halved, at
/// most once for the requests that were open at the last cut; then it grows by an eighth for each window of answers.
/// The signal is delay and not loss, as in LEDBAT (RFC 6817), because loss here is a device that is sent to twice.
///
/// A provider that is slow without a queue would gain nothing from fewer requests. So an answer is slow only if it also
/// took twice as long as the fastest one of the last minute or two. One slow host among several is outvoted.
struct CongestionWindow: Sendable {
    /// The number of streams.
    private(set) var streams: Int
    /// The number of cuts so far.
    private(set) var cuts: UInt64 = 0
    /// The window from which it grows by an eighth instead of doubling.
    private var threshold = Int.max
    /// Answers towards the next stream, in eighths.
    private var eighths = 0
    /// The answers since the last vote on whether the window is too large.
    private var slow = 0
    private var timely = 0
    private var timelyAt: MonotonicInstant?
    /// The instant of the last cut; requests that are older say nothing about the window since.
    private var cutAt: MonotonicInstant?
    private var fastest: Fastest?
    private let deadline: Duration

    /// The fastest answers of this minute and of the one before (a base delay's history, RFC 6817 section 2.4.2).
    private struct Fastest: Sendable {
        var now: Duration
        var before: Duration
        var since: MonotonicInstant
    }

    /// The smallest window.
    private static let least = 4
    /// The time for which a fastest answer is remembered, at least; twice that at most.
    private static let memory: Duration = .seconds(60)

    /// A window for requests with this deadline.
    init(streams: Int, deadline: Duration) {
        self.streams = streams
        self.deadline = deadline
    }

    /// Notes the answers of one read.
    ///
    /// - Parameters:
    ///   - open: The streams that were open before these answers.
    ///   - times: The shortest and the longest time from request to answer among them.
    mutating func answered(_ count: Int, open: Int, times: ClosedRange<Duration>, now: MonotonicInstant) {
        self.note(fastest: times.lowerBound, now: now)
        if times.upperBound > self.slowAfter {
            self.slow += count
        } else {
            self.timely += count
            self.timelyAt = now
            // A window that was not used has not been tried (RFC 7661).
            if open > self.streams / 2 { self.grow(by: count) }
        }
        guard self.slow + self.timely >= max(1, self.streams / 8) else { return }
        if self.slow > self.timely {
            let half = max(Self.least, open / 2)
            self.cut(to: half, threshold: half, requested: times.upperBound, now: now)
        }
        self.slow = 0
        self.timely = 0
    }

    /// Notes that streams reached their deadline.
    ///
    /// While others are answered in good time, those streams were lost and did not wait. Otherwise nobody knows how
    /// long answers take, and the window begins anew.
    mutating func missed(open: Int, now: MonotonicInstant) {
        if let timelyAt, now.since(timelyAt) < self.deadline / 4 { return }
        self.cut(to: Self.least, threshold: max(Self.least, open / 2), requested: self.deadline, now: now)
    }

    /// The answer time from which the window is too large: a quarter of the deadline, or twice the fastest answer of
    /// late if that is more, but at most three quarters of the deadline.
    private var slowAfter: Duration {
        let quarter = self.deadline / 4
        guard let fastest = self.fastest else { return quarter }
        return max(quarter, min(min(fastest.now, fastest.before) * 2, quarter * 3))
    }

    private mutating func grow(by count: Int) {
        guard self.streams >= self.threshold else {
            self.streams += count
            return
        }
        self.eighths += count
        self.streams += self.eighths / 8
        self.eighths %= 8
    }

    /// Makes the window smaller, unless the requests that say so were made before the last cut.
    private mutating func cut(to streams: Int, threshold: Int, requested ago: Duration, now: MonotonicInstant) {
        if let cutAt, now.since(cutAt) < ago { return }
        self.cutAt = now
        self.cuts += 1
        self.streams = min(self.streams, streams)
        self.threshold = threshold
        self.eighths = 0
    }

    private mutating func note(fastest time: Duration, now: MonotonicInstant) {
        guard let known = self.fastest else {
            self.fastest = Fastest(now: time, before: time, since: now)
            return
        }
        if now.since(known.since) >= Self.memory {
            self.fastest = Fastest(now: time, before: known.now, since: now)
        } else {
            self.fastest?.now = min(known.now, time)
        }
    }
}
