/// The metrics of a worker's broker side at one instant.
struct CoordinatorMetrics: Sendable {
    var counters: WorkCounters
    /// Counts of phones' tracking reports.
    var tracking = TrackingCounters()
    var consumer: ConnectionMetrics
    var publisher: ConnectionMetrics
    /// True until the worker is told to stop.
    var isTakingWork: Bool
    /// True while the broker is in an alarm.
    var isBlocked: Bool
    /// Publishes that wait for their confirm.
    var unconfirmed: Int
    /// Publishes that wait to be written.
    var unpublished: Int
    /// Shards that this worker holds.
    var running: Int
}

/// The metrics of one of the worker's two connections to the broker.
struct ConnectionMetrics: Sendable {
    var isUp: Bool
    /// The connections made since the process began.
    var made: UInt64
}
