public import Campaigns

/// How shards get their turns under a rate (design, section 10, Rate).
///
/// Slots follow one another without gaps and are given away a second ahead: long enough for the message to reach its
/// worker, short enough that another rate holds within two seconds, and that a worker's death spoils two at most.
/// What was not sent in its slot is not caught up, but gets another.
public enum Pacing {
    /// How far ahead of now slots are given away, in microseconds.
    public static let lead: Int64 = 1_000_000
    /// How soon a slot may begin: what the way through the broker and the claim take, in microseconds.
    public static let notice: Int64 = 80_000
    /// How late a device's request may be within its slot, in microseconds.
    ///
    /// It is what can be sent too much in a second: 3 % of the rate, of the 5 % that the design allows.
    public static let lateness: Int64 = 30_000
    /// The same under a provider's quota alone, in microseconds: that counts minutes, of which this is 1.7 %, less than
    /// what is left alone of it (`Pace.quotaReserve`).
    ///
    /// So a worker that is busy with other campaigns sends a little later, instead of asking for another slot.
    public static let quotaLateness: Int64 = 1_000_000
    /// A shard is a quarter of a second's worth at most, so that little is spoilt when its worker dies.
    public static let shardsPerSecond = 4

    /// Devices of one shard at most.
    public static func devicesMax(_ paces: [Pace]) -> Int {
        let slowest = paces.map(\.perSecond).min() ?? Shard.devicesMax * shardsPerSecond
        return min(Shard.devicesMax, max(1, slowest / shardsPerSecond))
    }

    /// Devices that are to be cut into shards ahead of their turns.
    public static func devicesAhead(_ paces: [Pace]) -> Int {
        let slowest = paces.map(\.perSecond).min() ?? 0
        return slowest + slowest / shardsPerSecond
    }

    /// How far a quota's slot may lie behind the next of the other limits: that time is lost to whoever shares those.
    static let quotaGap: Int64 = 100_000

    /// The same where the provider has a quota besides.
    ///
    /// What the quota keeps back does not keep back others: nil as well while its turn is far behind the next one of
    /// `lines`, which is for those that need not wait for the quota.
    public static func slot(
        devices: Int,
        lines: inout [PaceLine],
        quota: inout PaceLine?,
        now: Timestamp
    ) -> Slot? {
        guard let line = quota else { return slot(devices: devices, lines: &lines, now: now) }
        if !lines.isEmpty, earliest([line], now: now) - earliest(lines, now: now) > quotaGap { return nil }
        var all = lines + [line]
        guard let slot = slot(devices: devices, lines: &all, now: now) else { return nil }
        quota = all.removeLast()
        lines = all
        return slot
    }

    /// Moves a line on by requests that went without a slot, at the whole rate: they wait for no ramp.
    public static func charge(_ requests: Int, to line: inout PaceLine, now: Timestamp) {
        let instant = now.milliseconds * 1000
        line.forgetWhatIsAhead(of: instant)
        let begins = max(instant, line.next)
        line.first = line.rampBegan(before: begins)
        line.next = min(
            begins + Pace.length(of: requests, perMinute: line.pace.perMinute),
            instant + line.furthest
        )
    }

    /// Where the next slot on all these lines can begin.
    private static func earliest(_ lines: [PaceLine], now: Timestamp) -> Int64 {
        let instant = now.milliseconds * 1000
        return max(instant + notice, lines.map { $0.next(at: instant) }.max() ?? 0)
    }

    /// The next slot for so many devices, which is then given away; nil when it is too early for one.
    ///
    /// - Parameters:
    ///   - devices: How many.
    ///   - lines: Every limit that counts for them; each moves on.
    ///   - now: The clock that all workers share.
    public static func slot(devices: Int, lines: inout [PaceLine], now: Timestamp) -> Slot? {
        let instant = now.milliseconds * 1000
        let begins = earliest(lines, now: now)
        guard begins < instant + lead else { return nil }
        var length: Int64 = 1
        for index in lines.indices {
            lines[index].forgetWhatIsAhead(of: instant)
            let first = lines[index].rampBegan(before: begins)
            let rate = lines[index].pace.perMinute(at: begins, from: first)
            let share = Pace.length(of: devices, perMinute: rate)
            lines[index].first = first
            lines[index].next = begins + share
            length = max(length, share)
        }
        return Slot(begins: begins, length: length)
    }

    /// The longest slot that there is, in microseconds: a whole shard at the lowest rate of a ramp.
    static let maxLength: Int64 = Int64(Shard.devicesMax) * 1_000_000

    /// When a planner looks again whether it may give slots away, in microseconds from now.
    public static func rest(_ lines: [PaceLine], now: Timestamp) -> Int64 {
        let instant = now.milliseconds * 1000
        let next = lines.map { $0.next(at: instant) }.max() ?? 0
        return max(0, next - instant - lead + lookAhead)
    }

    /// The same where the provider has a quota besides.
    public static func rest(_ lines: [PaceLine], quota: PaceLine?, now: Timestamp) -> Int64 {
        guard let quota else { return rest(lines, now: now) }
        let all = rest(lines + [quota], now: now)
        let instant = now.milliseconds * 1000
        return lines.isEmpty ? all : max(all, quota.next(at: instant) - quotaGap - notice - instant)
    }

    /// When a planner looks again at a campaign that has nothing waiting, in microseconds from now: what is not sent yet
    /// is on its way, and comes back at the earliest when it has missed its slot.
    public static let idleRest: Int64 = 200_000

    /// Slots are given away in batches of a tenth of a second, not one by one.
    private static let lookAhead: Int64 = 100_000
}

/// Whose turn it is within a shard's slot.
struct Turns: Equatable, Sendable {
    let slot: Slot
    let count: Int
    var lateness = Pacing.lateness

    enum Turn: Equatable {
        case now
        /// In microseconds since the epoch.
        case later(Int64)
        /// Too late: another slot is needed.
        case missed
    }

    func turn(of position: Int, now: Timestamp) -> Turn {
        let (due, instant) = (slot.instant(of: position, among: count), now.milliseconds * 1000)
        if instant < due { return .later(due) }
        return instant > due + lateness ? .missed : .now
    }
}
