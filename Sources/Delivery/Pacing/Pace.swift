import Campaigns
public import PushProviders

/// How many requests may go out in a time, retries included: a campaign's `per_second` and `ramp_up`, an app's, or what
/// a provider takes.
public struct Pace: Hashable, Sendable {
    /// Requests a minute, at least 1.
    public let perMinute: Int
    /// Seconds over which the rate grows from a tenth to the whole; 0: the whole at once.
    public var rampUp: Int
    /// Whether what a ramp has won is lost again while less is sent than might be: a minute of nothing, a whole ramp.
    public var losesRamp: Bool

    /// The share of the rate with which a ramp begins: providers see how it goes before the bulk comes.
    public static let rampFloor = 10
    /// Google: "ramp up … over at least 60 seconds".
    public static let quotaRampUp = 60
    /// Of a quota one request in so many is left alone.
    ///
    /// Requests may be late within their slots, and those that take no slot are counted after they went: in the minute
    /// that the provider counts there may be a few more than in ours.
    public static let quotaReserve = 50

    /// A campaign's or an app's pace.
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

    /// Whole requests a second, at least 1.
    public var perSecond: Int { max(1, perMinute / 60) }

    /// Requests a minute at an instant, in microseconds like the one in which the ramp began.
    public func perMinute(at instant: Int64, from first: Int64) -> Int {
        let (past, whole) = (max(0, instant - first), Int64(rampUp) * 1_000_000)
        guard past < whole else { return perMinute }
        let floor = max(perMinute / Self.rampFloor, min(perMinute, 60))
        return max(floor, Int(Int64(perMinute) * (past / 1000) / (whole / 1000)))
    }

    /// How long so many requests take at a rate, in microseconds, rounded up.
    static func length(of requests: Int, perMinute: Int) -> Int64 {
        (Int64(requests) * 60_000_000 + Int64(perMinute) - 1) / Int64(perMinute)
    }
}

/// What one limit has given away: slots follow one another on it, so its rate is kept whoever sends.
public struct PaceLine: Hashable, Sendable {
    /// The limit.
    public var pace: Pace
    /// When its ramp began, in microseconds since the epoch: with its first slot, or later when that was lost; nil before.
    public var first: Int64?
    /// Where its next slot may begin at the earliest, in microseconds since the epoch.
    public var next: Int64

    /// A line; by default nothing was given away.
    public init(pace: Pace, first: Int64? = nil, next: Int64 = 0) {
        self.pace = pace
        self.first = first
        self.next = next
    }

    /// How far ahead of now the next slot can be, in microseconds: what is given away at once, and one slot.
    ///
    /// Requests that take no slot move a quota's line on by as much as there are (`Pacing.charge`), the others by a whole
    /// shard at the rate's lowest.
    var furthest: Int64 {
        let tolerance = Int64(Ahead.tolerance / .microseconds(1))
        guard !pace.losesRamp else { return Pacing.lead + Pacing.maxLength + tolerance }
        let lowest = pace.perMinute(at: 0, from: pace.rampUp > 0 ? 0 : -1)
        return Pacing.lead + Pace.length(of: Shard.devicesMax, perMinute: lowest) + tolerance
    }

    /// Where the next slot may begin; a line that is further ahead than it can be was written by a clock that was wrong,
    /// and has given nothing away.
    func next(at instant: Int64) -> Int64 { next > instant + furthest ? 0 : next }

    /// Takes back what cannot be meant, with a ramp that begins after now.
    mutating func forgetWhatIsAhead(of instant: Int64) {
        next = next(at: instant)
        if let first, first > instant + furthest { self.first = nil }
    }

    /// When the ramp began in which a slot stands that begins at an instant.
    ///
    /// A pace that loses its ramp loses a second of it for each second without a slot. So what it allows follows what is
    /// sent, up and down: a trickle does not keep the whole rate open for a bulk that comes an hour later.
    func rampBegan(before begins: Int64) -> Int64 {
        guard let first else { return begins }
        guard pace.losesRamp else { return first }
        let won = min(Int64(pace.rampUp) * 1_000_000, max(0, next - first))
        return begins - max(0, won - max(0, begins - next))
    }
}
