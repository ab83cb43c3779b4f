import Servers

/// A worker with few requests in flight and few uncommitted answers, so that a bound on a fault's repeats is
/// meaningful.
///
/// A worker holds up to 32,000 devices of bulk shards. With these settings a kill repeats some hundred of them. A
/// takeover that forgets saved progress exceeds that, and a repeated audience exceeds it by far.
enum SmallFlight {
    /// The streams per connection that the simulator allows.
    static let streams = 4
    /// The simulator's settings; requests take long enough for some of them to be in flight at any moment.
    static let faults = ["latency": "2-10", "streams": "\(streams)"]
    /// The worker's settings: one loop, so that there is one pool of connections.
    static let environment = ["FANFARE_WORKER_UNFLUSHED": "60", "FANFARE_WORKER_LOOPS": "1"]
}

extension PrivateFleet {
    /// Starts a worker with few requests in flight.
    func startSmallWorker() async throws -> FanfareProcess {
        try await startWorker(environment: SmallFlight.environment)
    }
}
