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
