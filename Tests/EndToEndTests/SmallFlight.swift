import Servers

/// A worker that has little in flight and little uncommitted, so that a bound on what a fault may repeat can be broken.
///
/// A worker holds up to 32,000 devices of bulk shards. With these settings a kill repeats some hundred of them: a
/// take-over that forgets what was saved goes beyond that, and an audience that is sent again is far beyond.
enum SmallFlight {
    /// Streams that the far side gives a connection.
    static let streams = 4
    /// The far side's share of it; requests take long enough for some of them to be in flight at any moment.
    static let faults = ["latency": "2-10", "streams": "\(streams)"]
    /// The worker's share of it: one loop, so that there is one pool of connections.
    static let environment = ["FANFARE_WORKER_UNFLUSHED": "60", "FANFARE_WORKER_LOOPS": "1"]
}

extension PrivateFleet {
    /// Starts a worker with little in flight.
    func startSmallWorker() async throws -> FanfareProcess {
        try await startWorker(environment: SmallFlight.environment)
    }
}
