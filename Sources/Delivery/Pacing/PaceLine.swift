import Campaigns

/// The slots that one limit has given away; they follow one another, so the rate is kept whoever sends.
public struct PaceLine: Hashable, Sendable {
    /// The limit.
    public var pace: Pace
    /// The instant at which its ramp began, in microseconds since the epoch; nil before its first slot.
    ///
    /// A ramp begins with the first slot, or later if it was lost.
    public var first: Int64?
    /// The earliest instant at which its next slot may begin, in microseconds since the epoch.
    public var next: Int64

    /// A line; by default nothing has been given away.
    public init(pace: Pace, first: Int64? = nil, next: Int64 = 0) {
        self.pace = pace
        self.first = first
        self.next = next
    }

    /// The furthest that the next slot can be ahead of now, in microseconds: what is given away at once, and one slot.
    ///
    /// Requests without a slot move a quota's line on by their number (`Pacing.charge`). Shards move the other lines on
    /// by at most a whole shard at the rate's lowest.
    var furthest: Int64 {
        let tolerance = Int64(FutureLimit.tolerance / .microseconds(1))
        guard !pace.losesRamp else { return Pacing.lead + Pacing.maxLength + tolerance }
        let lowest = pace.perMinute(at: 0, from: pace.rampUp > 0 ? 0 : -1)
        return Pacing.lead + Pace.length(of: Shard.devicesMax, perMinute: lowest) + tolerance
    }

    /// Returns the earliest start of the next slot.
    ///
    /// A line that is further ahead than possible was written by a wrong clock, and has given nothing away.
    func next(at instant: Int64) -> Int64 { next > instant + furthest ? 0 : next }

    /// Discards impossible values, including a ramp that begins after now.
    mutating func forgetWhatIsAhead(of instant: Int64) {
        next = next(at: instant)
        if let first, first > instant + furthest { self.first = nil }
    }

    /// Returns the start of the ramp that applies to a slot that begins at `begins`.
    ///
    /// A pace that loses its ramp loses a second of it for each second without a slot. So the allowed rate follows what
    /// is sent, up and down: a trickle does not keep the whole rate open for a bulk that comes an hour later.
    func rampBegan(before begins: Int64) -> Int64 {
        guard let first else { return begins }
        guard pace.losesRamp else { return first }
        let won = min(Int64(pace.rampUp) * 1_000_000, max(0, next - first))
        return begins - max(0, won - max(0, begins - next))
    }
}
