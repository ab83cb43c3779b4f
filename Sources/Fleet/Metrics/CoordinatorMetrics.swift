/// The broker's side of a worker at one instant.
struct CoordinatorMetrics: Sendable {
    var counters: WorkCounters
    /// What phones said.
    var tracking = TrackingCounters()
    var consumer: ConnectionMetrics
    var publisher: ConnectionMetrics
    /// Not told to stop.
    var isTakingWork: Bool
    /// The broker is in an alarm.
    var isBlocked: Bool
    /// Publishes that wait for their confirm.
    var unconfirmed: Int
    /// Publishes that wait to be written.
    var unpublished: Int
    /// Shards that this worker holds.
    var running: Int
}

/// One of the worker's two connections to the broker.
struct ConnectionMetrics: Sendable {
    var isUp: Bool
    /// Since the process began; one more than it was lost, when it is up.
    var made: UInt64
}
