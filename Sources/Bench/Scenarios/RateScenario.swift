import Campaigns
import Delivery
import Foundation
import Operations
import Store

/// A campaign with `per_second` on two workers, in one-second buckets at the simulator: alone, with a fifth of the
/// requests answered 503, with a worker killed, and with the rate changed.
struct RateScenario: Sendable {
    let stage: BenchStage

    /// Requests a second of the campaign.
    static let rate = 1_000
    /// Never more than `most`, and after the first two seconds at least `least` (issue 4 of the product).
    private static let most = 1_050
    private static let least = 950
    /// Seconds until a changed rate has to hold.
    private static let soon = 2
    private static let pause = Duration.milliseconds(50)
    /// A retry follows five seconds after the failed request, so the last seconds have nothing but retries.
    private static let tail = 7

    /// Seconds of a campaign without retries.
    private var length: Int { max(8, stage.devices(.rate) / Self.rate) }

    /// An event in the middle of a campaign.
    private enum Event {
        case nothing, kill, halve
    }

    func run() async throws -> BenchResult {
        let plain = try await measure("plain", .nothing)
        stage.say("with a fifth of the requests answered 503")
        let retries = try await measure("retries", .nothing, options: ["--fault", "unavailable=0.2"])
        stage.say("one of two workers killed")
        let killed = try await measure("killed", .kill)
        stage.say("half the rate from the middle on")
        let halved = try await measure("halved", .halve)
        // By then the half rate holds, and no second exceeds it.
        let late = halved.buckets.seconds.dropFirst(halved.at + Self.soon).max()
        return BenchResult(
            scenario: .rate,
            subject: "two workers, \(NumberText.grouped(Self.rate)) requests a second, \(length) s",
            metrics: metrics("plain", "alone", plain.buckets)
                + metrics("retries", "with 20 % of 503", retries.buckets, tail: Self.tail)
                + [
                    most("killed", "a worker killed", killed.buckets),
                    BenchMetric(
                        "below_killed",
                        "seconds below \(Self.least), a worker killed",
                        Double(killed.buckets.steady().count { $0 < Self.least }),
                        digits: 0,
                        target: .atMost(2)
                    ),
                    BenchMetric(
                        "most_halved",
                        "most in a second, from \(Self.soon) s after half the rate was ordered",
                        late.map(Double.init),
                        digits: 0,
                        target: .atMost(Double(Self.most / 2))
                    ),
                ],
            notes: [plain, retries, killed, halved].map { "\($0.name): \($0.buckets.seconds)" }
        )
    }

    private func most(_ name: String, _ label: String, _ buckets: RateBuckets) -> BenchMetric {
        BenchMetric(
            "most_\(name)",
            "most in a second, \(label)",
            buckets.seconds.max().map(Double.init),
            digits: 0,
            target: .atMost(Double(Self.most))
        )
    }

    private func metrics(
        _ name: String,
        _ label: String,
        _ buckets: RateBuckets,
        tail: Int = 1
    ) -> [BenchMetric] {
        [
            most(name, label, buckets),
            BenchMetric("window_\(name)", "the same wherever the second begins", Double(buckets.most), digits: 0),
            BenchMetric(
                "least_\(name)",
                "least in a second behind the first two, \(label)",
                buckets.steady(tail: tail).min().map(Double.init),
                digits: 0,
                target: .atLeast(Double(Self.least))
            ),
        ]
    }

    // MARK: A campaign

    private struct Measured {
        let name: String
        let buckets: RateBuckets
        /// Whole seconds from the first arrival to the event.
        let at: Int
    }

    private func measure(_ name: String, _ event: Event, options: [String] = []) async throws -> Measured {
        let fleet = try await BenchFleet(.rate, stage, named: name)
        let devices = length * Self.rate
        try await fleet.upload(devices)
        let peer = try await Peer.start(
            "far-\(name)",
            below: fleet.folder.path,
            options: ["--arrivals"] + options,
            stage
        )
        try await fleet.start(2, to: [BenchJob.app: peer])
        // A device that fails twice ends failed: the third try would come half a minute later.
        let job = try await fleet.begin(maxAttempts: 2, perSecond: Self.rate)
        try await reach(devices / 2, job, fleet)
        let at = Self.monotonic()
        switch event {
        case .nothing: break
        case .kill: try await fleet.killWorker()
        case .halve: try await fleet.pace(job, Pace(perSecond: Self.rate / 2))
        }
        try await reach(nil, job, fleet)
        let arrivals = await peer.arrivals()
        try await fleet.close()
        await stage.processes.stop(peer.name)
        let first = arrivals.min() ?? at
        return Measured(
            name: name,
            buckets: RateBuckets(arrivals: arrivals),
            at: Int(max(0, at - first) / 1_000_000_000)
        )
    }

    /// Waits until so many devices have been accepted; nil waits for the campaign's end.
    private func reach(_ devices: Int?, _ job: BenchJob, _ fleet: BenchFleet) async throws {
        // Twice the expected time, plus a minute for workers and retries.
        for _ in 0..<(length * 2 + 60) * 20 {
            if let status = try await fleet.status(of: job) {
                if let devices, status.counts.accepted >= devices { return }
                if !status.stage.isLive {
                    guard status.law == .holds, status.pending.total == 0 else { break }
                    return
                }
            }
            try await stage.processes.check()
            try await Task.sleep(for: Self.pause)
        }
        throw CommandFailure(.failed, "\(job.job.id) does not end; the logs are in \(stage.folder.path)")
    }

    /// Returns the nanoseconds of the arrivals' clock.
    private static func monotonic() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
