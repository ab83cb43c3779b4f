/// The time limit for a request to arrive and for its answer to be taken, even byte by byte; no I/O.
public enum RequestDeadline {
    /// The time that every request and every answer has.
    public static let least = Duration.seconds(30)
    /// The bytes per second of the slowest network that we wait for.
    public static let bytesPerSecond = 16_384

    /// The time for this many bytes: ``least``, and a second more for each ``bytesPerSecond``.
    public static func limit(bytes: Int) -> Duration { least + .seconds(max(0, bytes) / bytesPerSecond) }

    /// Returns true if a transfer that began at `since` and has moved this many bytes is too late at `now`.
    public static func isOver(since: MonotonicInstant, bytes: Int, now: MonotonicInstant) -> Bool {
        now.since(since) >= limit(bytes: bytes)
    }
}

/// The time that a connection may be silent; no I/O.
public enum IdleRule {
    /// The time while there is room for more connections.
    public static let usual = Duration.seconds(60)
    /// The time for peers without a device's secret once seven eighths of all connections are taken.
    public static let underPressure = Duration.seconds(5)

    /// The time for a connection of this standing.
    public static func limit(_ standing: ConnectionBudget.Standing, isFull: Bool) -> Duration {
        isFull && standing == .stranger ? underPressure : usual
    }
}
