import Campaigns
public import PushProviders

/// The rate at which requests may go out, retries included.
///
/// It is a campaign's `per_second` and `ramp_up`, an app's rate, or a provider's quota.
public struct Pace: Hashable, Sendable {
    /// The requests per minute, at least 1.
    public let perMinute: Int
    /// The seconds over which the rate grows from a tenth to the whole; 0 means the whole rate at once.
    public var rampUp: Int
    /// True if the ramp falls back while less is sent than allowed: a minute of nothing costs a whole ramp.
    public var losesRamp: Bool

    /// The divisor of the rate with which a ramp begins, so that providers see a sample before the bulk comes.
    public static let rampFloor = 10
    /// The ramp of a quota in seconds; Google says "ramp up … over at least 60 seconds".
    public static let quotaRampUp = 60
    /// The fraction of a quota that is not used: one request in this many.
    ///
    /// Requests may be late within their slots, and those without a slot are counted after they went out. So the
    /// provider may count a few more in its minute than we do in ours.
    public static let quotaReserve = 50

    /// The pace of a campaign or an app.
    public init(perSecond: Int, rampUp: Int = 0) {
        perMinute = max(1, perSecond) * 60
        self.rampUp = max(0, rampUp)
        losesRamp = false
    }

    /// The pace that keeps a provider's quota, with the ramp that Google asks for whenever traffic rises (C2).
    public init(_ quota: ProviderQuota) {
        perMinute = max(1, quota.perMinute - max(1, quota.perMinute / Self.quotaReserve))
        rampUp = Self.quotaRampUp
        losesRamp = true
    }

    /// The whole requests per second, at least 1.
    public var perSecond: Int { max(1, perMinute / 60) }

    /// Returns the requests per minute at `instant`; `first` is the instant at which the ramp began, both in
    /// microseconds.
    public func perMinute(at instant: Int64, from first: Int64) -> Int {
        let (past, whole) = (max(0, instant - first), Int64(rampUp) * 1_000_000)
        guard past < whole else { return perMinute }
        let floor = max(perMinute / Self.rampFloor, min(perMinute, 60))
        return max(floor, Int(Int64(perMinute) * (past / 1000) / (whole / 1000)))
    }

    /// Returns the time that this many requests take at a rate, in microseconds, rounded up.
    static func length(of requests: Int, perMinute: Int) -> Int64 {
        (Int64(requests) * 60_000_000 + Int64(perMinute) - 1) / Int64(perMinute)
    }
}

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
        let tolerance = Int64(Ahead.tolerance / .microseconds(1))
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
