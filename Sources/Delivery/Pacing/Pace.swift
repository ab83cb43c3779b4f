/// How many requests a second may go out, retries included: a campaign's `per_second` and `ramp_up`, or an app's.
public struct Pace: Hashable, Sendable {
    /// Requests a second, at least 1.
    public var perSecond: Int
    /// Seconds over which the rate grows from a tenth to the whole; 0: the whole at once.
    public var rampUp: Int

    /// The share of the rate with which a ramp begins: providers see how it goes before the bulk comes.
    public static let rampFloor = 10

    /// A pace.
    public init(perSecond: Int, rampUp: Int = 0) {
        self.perSecond = max(1, perSecond)
        self.rampUp = max(0, rampUp)
    }

    /// Requests a second at an instant, in microseconds like the one in which the first slot began.
    public func rate(at instant: Int64, from first: Int64) -> Int {
        let (past, whole) = (max(0, instant - first), Int64(rampUp) * 1_000_000)
        guard past < whole else { return perSecond }
        return max(1, max(perSecond / Self.rampFloor, Int(Int64(perSecond) * (past / 1000) / (whole / 1000))))
    }
}

/// What one limit has given away: slots follow one another on it, so its rate is kept whoever sends.
public struct PaceLine: Hashable, Sendable {
    /// The limit.
    public var pace: Pace
    /// When its first slot began, in microseconds since the epoch; nil before that.
    public var first: Int64?
    /// Where its next slot may begin at the earliest, in microseconds since the epoch.
    public var next: Int64

    /// A line; by default nothing was given away.
    public init(pace: Pace, first: Int64? = nil, next: Int64 = 0) {
        self.pace = pace
        self.first = first
        self.next = next
    }
}
