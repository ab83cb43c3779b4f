/// The broker's side of a worker at one instant.
struct DeskFigures: Sendable {
    var tally: WorkTally
    /// What phones said.
    var tracking = TrackingTally()
    var consumer: ConnectionFigures
    var publisher: ConnectionFigures
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
struct ConnectionFigures: Sendable {
    var isUp: Bool
    /// Since the process began; one more than it was lost, when it is up.
    var made: UInt64
}
