/// The answers of a worker's event loops to probes and scrapes.
struct LoopMetrics: Sendable, Equatable {
    /// Probes that a loop did not answer in time, since the worker's start.
    var stalls = 0
    /// The time that the slowest loop took for its last answer.
    var took = Duration.zero
}
