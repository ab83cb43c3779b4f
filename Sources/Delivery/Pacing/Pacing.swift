public import Campaigns

/// The rules by which shards get their turns under a rate (design, section 10, Rate).
///
/// Slots follow one another without gaps and are given away a second ahead. That is long enough for the message to
/// reach its worker. It is short enough that a changed rate applies within two seconds, and that a worker's death
/// wastes two at most. Devices that miss their slot are not caught up; they get another slot.
public enum Pacing {
    /// The time that slots are given away ahead, in microseconds.
    public static let lead: Int64 = 1_000_000
    /// The earliest start of a slot from now, in microseconds: the time for the way through the broker and for the
    /// claim.
    public static let notice: Int64 = 80_000
    /// The tolerated lateness of a device's request within its slot, in microseconds.
    ///
    /// It bounds the excess in one second: 3 % of the rate, of the 5 % that the design allows.
    public static let lateness: Int64 = 30_000
    /// The tolerated lateness under a provider's quota alone, in microseconds.
    ///
    /// The quota counts minutes, of which this is 1.7 %: less than the unused part of the quota (`Pace.quotaReserve`).
    /// So a worker that is busy with other campaigns sends a little later, instead of asking for another slot.
    public static let quotaLateness: Int64 = 1_000_000
    /// The number of shards for a second's worth of devices, so that little is wasted if a worker dies.
    public static let shardsPerSecond = 4

    /// Returns the largest number of devices in one shard.
    public static func devicesMax(_ paces: [Pace]) -> Int {
        let slowest = paces.map(\.perSecond).min() ?? Shard.devicesMax * shardsPerSecond
        return min(Shard.devicesMax, max(1, slowest / shardsPerSecond))
    }

    /// Returns the number of devices to cut into shards ahead of their turns.
    public static func devicesAhead(_ paces: [Pace]) -> Int {
        let slowest = paces.map(\.perSecond).min() ?? 0
        return slowest + slowest / shardsPerSecond
    }

    /// The largest gap of a quota's slot behind the next slot of the other limits: whoever shares those loses that
    /// time.
    static let quotaGap: Int64 = 100_000

    /// Gives the next slot for a provider that also has a quota; nil if it is too early.
    ///
    /// The quota must not hold back others. So the result is nil as well while the quota's turn is far behind the next
    /// one of `lines`, which is for devices that need not wait for the quota.
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

    /// Moves a line on for requests that went without a slot, at the whole rate: they wait for no ramp.
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

    /// The earliest start of the next slot on all these lines.
    private static func earliest(_ lines: [PaceLine], now: Timestamp) -> Int64 {
        let instant = now.milliseconds * 1000
        return max(instant + notice, lines.map { $0.next(at: instant) }.max() ?? 0)
    }

    /// Gives the next slot for this many devices; nil if it is too early for one.
    ///
    /// - Parameters:
    ///   - devices: The number of devices.
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

    /// The longest possible slot, in microseconds: a whole shard at the lowest rate of a ramp.
    static let maxLength: Int64 = Int64(Shard.devicesMax) * 1_000_000

    /// Returns the time until a planner's next poll for slots to give away, in microseconds.
    public static func rest(_ lines: [PaceLine], now: Timestamp) -> Int64 {
        let instant = now.milliseconds * 1000
        let next = lines.map { $0.next(at: instant) }.max() ?? 0
        return max(0, next - instant - lead + lookahead)
    }

    /// Returns the same for a provider that also has a quota.
    public static func rest(_ lines: [PaceLine], quota: PaceLine?, now: Timestamp) -> Int64 {
        guard let quota else { return rest(lines, now: now) }
        let all = rest(lines + [quota], now: now)
        let instant = now.milliseconds * 1000
        return lines.isEmpty ? all : max(all, quota.next(at: instant) - quotaGap - notice - instant)
    }

    /// The time until a planner's next poll of a campaign with nothing waiting, in microseconds.
    ///
    /// Its unsent devices are on their way, and come back at the earliest when they have missed their slot.
    public static let idleRest: Int64 = 200_000

    /// The time for which slots are given away in one batch, a tenth of a second, instead of one by one.
    private static let lookahead: Int64 = 100_000
}

/// The turns of the devices within a shard's slot.
struct Turns: Equatable, Sendable {
    let slot: Slot
    let count: Int
    var lateness = Pacing.lateness

    enum Turn: Equatable {
        case now
        /// The device's turn comes at this instant, in microseconds since the epoch.
        case later(Int64)
        /// The turn is over: the device needs another slot.
        case missed
    }

    func turn(of position: Int, now: Timestamp) -> Turn {
        let (due, instant) = (slot.instant(of: position, among: count), now.milliseconds * 1000)
        if instant < due { return .later(due) }
        return instant > due + lateness ? .missed : .now
    }
}
