import Campaigns
import Delivery
import NIOPosix
import Operations
import Store
import Transport

/// A provider that cuts every connection to one stream, as APNs does to senders of bad tokens, and raises the limit
/// again: the time until the rate is back.
///
/// Uses the full simulator, whose faults can be changed while it runs, with answers after 20 ms, so that streams are
/// what bounds the rate.
struct LimitsScenario: Sendable {
    let stage: BenchStage

    /// The share of the earlier rate, and the time to reach it (issue "The sender at the cost of the wire").
    private static let share = 0.9
    private static let soon = 10.0
    private static let pause = Duration.milliseconds(100)

    /// A campaign's progress at an instant.
    private struct Sample {
        let seconds: Double
        let done: Int
    }

    /// The measurements of one campaign.
    private struct Track {
        var before = 0.0
        var collapsed = 0.0
        /// Seconds until the end of the first second at the rate; nil when there was none.
        var recovered: Double?
        /// The rate from the tenth second on.
        var after: Double?
    }

    /// Seconds of each phase; shorter for a small campaign.
    private var phase: Double { min(5, max(0.2, 5 * Double(stage.devices(.limits)) / 2_000_000)) }

    func run() async throws -> BenchResult {
        let devices = stage.devices(.limits)
        let fleet = try await BenchFleet(.limits, stage)
        let peer = try await Peer.start(
            "far-limits",
            below: fleet.folder.path,
            options: ["--fault", "latency=20"],
            isBare: false,
            stage
        )
        try await fleet.upload(devices)
        try await fleet.start(to: [BenchJob.app: peer])
        let track = try await measure(fleet, peer)
        try await fleet.close()
        await stage.processes.stop(peer.name)
        return BenchResult(
            scenario: .limits,
            subject: "one worker, a provider that cuts every connection to one stream for a while",
            metrics: [
                BenchMetric("rate_before", "devices a second before", track.before, digits: 0),
                BenchMetric("rate_cut", "devices a second with one stream a connection", track.collapsed, digits: 0),
                BenchMetric(
                    "seconds_to_90",
                    "seconds until one at 90 % of the rate was over",
                    track.recovered,
                    unit: "s",
                    digits: 1,
                    target: .atMost(Self.soon)
                ),
                BenchMetric(
                    "rate_ratio",
                    "share of the rate from the tenth second on",
                    track.before > 0 ? track.after.map { $0 / track.before } : nil,
                    target: .atLeast(Self.share)
                ),
            ],
            notes: track.after == nil ? ["the campaign was over before the tenth second: give it more devices"] : []
        )
    }

    private func measure(_ fleet: BenchFleet, _ peer: Peer) async throws -> Track {
        let job = try await fleet.begin()
        let start = ContinuousClock.now
        var track = Track()
        var samples: [Sample] = []
        func follow(for seconds: Double) async throws -> Double? {
            let first = try await sample(&samples, job, fleet, start)
            while let last = samples.last, last.seconds - first.seconds < seconds {
                try await stage.processes.check()
                try await Task.sleep(for: Self.pause)
                try await sample(&samples, job, fleet, start)
                if try await fleet.status(of: job)?.stage.isLive == false { return nil }
            }
            return samples.last.map { Double($0.done - first.done) / max(1e-3, $0.seconds - first.seconds) }
        }
        // First the connections open, one a second after the first eight.
        _ = try await follow(for: phase * 2)
        track.before = try await follow(for: phase) ?? 0
        try await peer.change("streams", to: 1)
        _ = try await follow(for: phase / 5)
        track.collapsed = try await follow(for: phase) ?? 0
        try await peer.change("streams", to: 1000)
        let raised = (ContinuousClock.now - start) / .seconds(1)
        _ = try await follow(for: Self.soon * phase / 5)
        track.after = try await follow(for: phase)
        track.recovered = recovery(samples, raised: raised, rate: track.before)
        if let status = try await fleet.status(of: job), status.stage.isLive { try await fleet.cancel(job) }
        try await fleet.emptyQueues()
        return track
    }

    @discardableResult
    private func sample(
        _ samples: inout [Sample],
        _ job: BenchJob,
        _ fleet: BenchFleet,
        _ start: ContinuousClock.Instant
    ) async throws -> Sample {
        let done = try await fleet.status(of: job)?.counts.accepted ?? 0
        let sample = Sample(seconds: (ContinuousClock.now - start) / .seconds(1), done: done)
        samples.append(sample)
        return sample
    }

    /// Returns the seconds from the raised limit to the end of the first second at 90 % of the rate.
    private func recovery(_ samples: [Sample], raised: Double, rate: Double) -> Double? {
        let later = samples.filter { $0.seconds >= raised }
        for first in later {
            guard let last = later.first(where: { $0.seconds - first.seconds >= min(1, phase) }) else { break }
            let now = Double(last.done - first.done) / (last.seconds - first.seconds)
            if rate > 0, now >= Self.share * rate { return last.seconds - raised }
        }
        return nil
    }
}

extension Peer {
    /// Changes a fault of a simulator that is not bare; returns when all of its connections know it.
    func change(_ fault: String, to value: Int) async throws {
        guard let port = control else { preconditionFailure("a bare simulator cannot be changed") }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let client = HTTP1Client(host: "127.0.0.1", port: port, loop: loop)
        let answer: HTTP1Client.Response
        do throws(HTTP1Error) {
            answer = try await client.send("POST", "/faults?\(fault)=\(value)", body: [])
        } catch {
            throw CommandFailure(.failed, "the simulator does not take \(fault)=\(value): \(error)")
        }
        guard answer.status == 200 else {
            throw CommandFailure(.failed, "the simulator refuses \(fault)=\(value) with \(answer.status)")
        }
    }
}
