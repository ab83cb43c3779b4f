/// The clocks of one host, as functions of the simulated time.
///
/// They are wrong together: both run at the host's own speed, and the wall clock may jump besides.
struct HostClock {
    /// The instant of the simulated time from which the present speed holds, in nanoseconds.
    private var since: Int64 = 0
    /// The monotonic clock at that instant.
    private var base: Int64
    /// The excess of the speed in parts per million; negative for a slow clock.
    private(set) var skew: Int64 = 0
    /// The distance of the wall clock from the monotonic one.
    private var wallOffset: Int64

    /// A clock that shows the right wall time; `uptime` is the time since the host's boot.
    init(uptime: Int64, wall: Int64) {
        base = uptime
        wallOffset = wall - uptime
    }

    /// Returns the host's monotonic clock at an instant of the simulated time.
    func monotonic(at now: Int64) -> Int64 {
        let passed = now - since
        return base + passed + passed / 1_000_000 * skew
    }

    /// Returns the host's wall clock at an instant of the simulated time.
    func wall(at now: Int64) -> Int64 { monotonic(at: now) + wallOffset }

    /// Returns the first instant of the simulated time at which the monotonic clock shows a value.
    func instant(of monotonic: Int64) -> Int64 {
        let shown = monotonic - base
        var instant = since + shown - shown / (1_000_000 + skew) * skew
        while self.monotonic(at: instant) < monotonic { instant += monotonic - self.monotonic(at: instant) }
        return instant
    }

    /// Changes the speed from an instant on.
    mutating func run(skew: Int64, from now: Int64) {
        base = monotonic(at: now)
        since = now
        self.skew = skew
    }

    /// Sets the wall clock forward or back.
    mutating func jump(by nanoseconds: Int64) { wallOffset += nanoseconds }
}
