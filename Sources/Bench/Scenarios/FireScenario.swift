import Campaigns
import Operations
import Store

/// A held campaign that two operators fire at once: from the first commit to the simulator's first request.
struct FireScenario: Sendable {
    let stage: BenchStage

    /// Milliseconds.
    static let target = 20.0
    private static let timeout = Duration.seconds(10)

    /// Fires as many campaigns as there are rounds, each after the end of the previous one.
    func run() async throws -> BenchResult {
        let (devices, rounds) = (stage.devices(.fire), stage.rounds(.fire))
        let fleet = try await BenchFleet(.fire, stage)
        try await fleet.upload(devices)
        let peer = try await Peer.start("far-fire", below: fleet.folder.path, options: ["--arrivals"], stage)
        try await fleet.start(to: [BenchJob.app: peer])
        var milliseconds: [Double] = []
        for number in 1...rounds {
            stage.say("round \(number) of \(rounds)")
            milliseconds.append(try await fire(fleet, peer, devices))
        }
        try await fleet.close()
        let answered = try await peer.stop().answered
        guard answered == devices * rounds else {
            throw CommandFailure(.failed, "\(answered) requests for \(devices * rounds) devices")
        }
        let worst = milliseconds.max()
        return BenchResult(
            scenario: .fire,
            subject:
                "one worker, \(rounds) held campaigns to \(NumberText.grouped(devices)) devices, each fired twice at "
                + "once; every device was sent to once",
            runs: nil,
            metrics: [
                BenchMetric(
                    "p50_ms",
                    "commit of fire to first request, median",
                    BenchNumber.median(milliseconds),
                    unit: "ms",
                    digits: 1
                ),
                BenchMetric("worst_ms", "the slowest", worst, unit: "ms", digits: 1, target: .atMost(Self.target)),
            ],
            notes: [],
            details: [.array(milliseconds.map(JSONValue.decimal))]
        )
    }

    /// Fires one campaign and returns the milliseconds to its first request.
    private func fire(_ fleet: BenchFleet, _ peer: Peer, _ devices: Int) async throws -> Double {
        let job = try await fleet.begin(isHeld: true)
        let start = ContinuousClock.now
        while try await fleet.status(of: job)?.pending.held ?? 0 == 0 {
            guard ContinuousClock.now - start < Self.timeout else {
                throw CommandFailure(.failed, "\(job.job.id) is not prepared; the logs are in \(stage.folder.path)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        // Its connections are opened at the next poll of the ledger, twice a second.
        try await Task.sleep(for: .seconds(1))
        let before = await peer.arrivals().count
        let committed = try await fleet.fire(job)
        while try await fleet.status(of: job)?.completedAt == nil {
            try await stage.processes.check()
            try await Task.sleep(for: .milliseconds(100))
        }
        guard let status = try await fleet.status(of: job), status.counts.accepted == devices else {
            throw CommandFailure(.failed, "\(job.job.id) has not reached all devices")
        }
        let arrivals = await peer.arrivals()
        guard arrivals.count > before else { throw CommandFailure(.failed, "\(peer.name) has reported no request") }
        return Double(arrivals[before] - committed) / 1e6
    }
}
