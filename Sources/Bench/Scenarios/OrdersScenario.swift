import Campaigns
import Delivery
import NIOCore
import Operations
import Store

/// The delay of pause and cancel in a fleet: from the commit of the order to the last request at the simulator, and to
/// the moment when nothing is pending.
struct OrdersScenario: Sendable {
    let stage: BenchStage

    /// Milliseconds from a pause to the last new request (issue 4 of the product).
    static let pauseTarget = 1_000.0
    /// Milliseconds from a cancel until every device has an outcome.
    static let cancelTarget = 2_000.0
    /// The time for which requests are counted after a pause.
    private static let observationTime = Duration.seconds(3)
    /// The least length of a campaign.
    private static let seconds = 3
    private static let limit = Duration.seconds(120)

    /// Runs two workers; each round pauses and resumes one campaign, and cancels another one with a twentieth of its
    /// devices in retry queues.
    func run() async throws -> BenchResult {
        let (devices, rounds) = (stage.devices(.orders), stage.rounds(.orders))
        var (pauses, cancels): ([Double], [Double]) = ([], [])
        var cancelled = 0
        for number in 1...rounds {
            stage.say("round \(number) of \(rounds)")
            pauses.append(try await pause("pause-\(number)", devices))
            let (milliseconds, rest) = try await cancel("cancel-\(number)", devices)
            cancels.append(milliseconds)
            cancelled += rest
        }
        return BenchResult(
            scenario: .orders,
            subject:
                "two workers, \(NumberText.grouped(devices)) devices a campaign in \(Self.seconds) s at least; paused and "
                + "resumed, every device was sent to once; \(NumberText.grouped(cancelled)) devices were cancelled in "
                + "\(rounds) rounds",
            runs: nil,
            metrics: [
                metric("pause", "commit of pause to the last request", pauses, Self.pauseTarget),
                metric("cancel", "commit of cancel to nothing pending", cancels, Self.cancelTarget),
            ],
            details: [.array(pauses.map(JSONValue.decimal)), .array(cancels.map(JSONValue.decimal))]
        )
    }

    private func metric(_ name: String, _ label: String, _ values: [Double], _ target: Double) -> BenchMetric {
        BenchMetric(
            "\(name)_worst_ms",
            "\(label), the slowest of \(values.count)",
            values.max(),
            unit: "ms",
            digits: 0,
            target: .atMost(target)
        )
    }

    /// Returns the milliseconds from the commit of a pause to the last request before the resume.
    private func pause(_ name: String, _ devices: Int) async throws -> Double {
        try await with(name, devices) { fleet, peer, job in
            try await reach(devices / 5, job, fleet)
            let committed = try await fleet.pause(job)
            try await Task.sleep(for: Self.observationTime)
            let last = await peer.arrivals().max() ?? committed
            try await fleet.resume(job)
            try await end(job, fleet)
            guard let status = try await fleet.status(of: job), status.counts.accepted == devices else {
                throw CommandFailure(.failed, "\(job.job.id) has not reached all devices")
            }
            let answered = await peer.arrivals().count
            guard answered == devices else {
                throw CommandFailure(.failed, "\(answered) requests for \(devices) devices")
            }
            return max(0, Double(last - committed) / 1e6)
        }
    }

    /// Returns the milliseconds from the commit of a cancel to nothing pending, and the number of cancelled devices.
    private func cancel(_ name: String, _ devices: Int) async throws -> (Double, Int) {
        try await with(name, devices, options: ["--fault", "unavailable=0.05"]) { fleet, peer, job in
            // Parallel shards end at about the same time: until the first has ended, no retry waits.
            try await wait(job, fleet) { status in
                status.counts.accepted >= devices / 5 && status.pending.retrying > 0 || !status.stage.isLive
            }
            guard let before = try await fleet.status(of: job), before.pending.retrying > 0 else {
                throw CommandFailure(.failed, "nothing of \(job.job.id) waits to be sent again")
            }
            let committed = try await fleet.cancel(job)
            let start = ContinuousClock.now
            var over = committed
            while let status = try await fleet.status(of: job), status.pending.total > 0 {
                guard ContinuousClock.now - start < Self.limit else {
                    throw CommandFailure(.failed, "\(job.job.id) is not over; the logs are in \(stage.folder.path)")
                }
                try await Task.sleep(for: .milliseconds(10))
                over = Int64(NIODeadline.now().uptimeNanoseconds)
            }
            guard let status = try await fleet.status(of: job), status.law == .holds,
                status.counts.total == devices, status.counts.cancelled > 0
            else { throw CommandFailure(.failed, "\(job.job.id) is not counted exactly") }
            return (Double(over - committed) / 1e6, status.counts.cancelled)
        }
    }

    private func with<Value>(
        _ name: String,
        _ devices: Int,
        options: [String] = [],
        _ body: (BenchFleet, Peer, BenchJob) async throws -> Value
    ) async throws -> Value {
        let fleet = try await BenchFleet(.orders, stage, named: name)
        try await fleet.upload(devices)
        // A campaign that ends at once takes no order.
        let arguments = ["--arrivals", "--answers-per-second", "\(max(1, devices / Self.seconds))"] + options
        let peer = try await Peer.start("far-\(name)", below: fleet.folder.path, options: arguments, stage)
        try await fleet.start(2, to: [BenchJob.app: peer])
        let value = try await body(fleet, peer, try await fleet.begin())
        try await fleet.close()
        await stage.processes.stop(peer.name)
        return value
    }

    private func reach(_ accepted: Int, _ job: BenchJob, _ fleet: BenchFleet) async throws {
        try await wait(job, fleet) { $0.counts.accepted >= accepted }
    }

    private func end(_ job: BenchJob, _ fleet: BenchFleet) async throws {
        try await wait(job, fleet) { !$0.stage.isLive }
    }

    private func wait(_ job: BenchJob, _ fleet: BenchFleet, _ isThere: (CampaignStatus) -> Bool) async throws {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < Self.limit {
            if let status = try await fleet.status(of: job), isThere(status) { return }
            try await stage.processes.check()
            try await Task.sleep(for: .milliseconds(20))
        }
        throw CommandFailure(.failed, "\(job.job.id) is too slow; the logs are in \(stage.folder.path)")
    }
}
