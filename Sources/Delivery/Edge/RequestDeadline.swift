/// How long a request may take to come, and its answer to be taken, whatever dribbles; no I/O.
public enum RequestDeadline {
    /// What every request and every answer may take.
    public static let least = Duration.seconds(30)
    /// Bytes a second of the slowest network that is waited for.
    public static let bytesPerSecond = 16_384

    /// The time for so many bytes: ``least``, and a second more for each ``bytesPerSecond``.
    public static func limit(bytes: Int) -> Duration { least + .seconds(max(0, bytes) / bytesPerSecond) }

    /// Whether what began at `since` and has moved so many bytes is too late at `now`.
    public static func isOver(since: MonotonicInstant, bytes: Int, now: MonotonicInstant) -> Bool {
        now.since(since) >= limit(bytes: bytes)
    }
}

/// How long a connection may say nothing; no I/O.
public enum IdleRule {
    /// While there is room for more.
    public static let usual = Duration.seconds(60)
    /// When seven eighths of all connections are taken, for those that have shown no device's secret.
    public static let underPressure = Duration.seconds(5)

    /// The time for a connection.
    public static func limit(_ standing: ConnectionBudget.Standing, isFull: Bool) -> Duration {
        isFull && standing == .stranger ? underPressure : usual
    }
}
