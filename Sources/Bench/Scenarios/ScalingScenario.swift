import Campaigns
import Operations

/// CPU for a device when several workers share one worker's load.
struct ScalingScenario: Sendable {
    let stage: BenchStage

    static let workers = 4
    /// Within ten percent of one worker's.
    static let target = 1.1

    /// Finds one worker's full rate, then sends at half of it, alternately with one and with several workers.
    func run() async throws -> BenchResult {
        let (devices, rounds) = (stage.devices(.scaling), stage.rounds(.scaling))
        let fleet = try await BenchFleet(.scaling, stage)
        try await fleet.upload(devices)
        let full = try await Peer.start("far-full", below: fleet.folder.path, stage)
        let fullRun = try await fleet.sendWithNewWorkers(1, devices, peer: full)
        await stage.processes.stop(full.name)
        let half = max(100, Int(fullRun.rate / 2))
        stage.say("one worker's full rate is \(NumberText.grouped(Int(fullRun.rate))) a second")
        let options = ["--answers-per-second", "\(half)"]
        let peer = try await Peer.start("far-half", below: fleet.folder.path, options: options, stage)
        var pairs: [(one: CampaignRun, several: CampaignRun)] = []
        for number in 1...rounds {
            stage.say("round \(number) of \(rounds)")
            let one = try await fleet.sendWithNewWorkers(1, devices, peer: peer)
            let several = try await fleet.sendWithNewWorkers(Self.workers, devices, peer: peer)
            pairs.append((one, several))
        }
        try await fleet.close()
        await stage.processes.stop(peer.name)
        func median(_ value: ((one: CampaignRun, several: CampaignRun)) -> Double) -> Double {
            BenchNumber.median(pairs.map(value))
        }
        return BenchResult(
            scenario: .scaling,
            subject: "\(NumberText.grouped(devices)) devices a campaign, at \(NumberText.grouped(half)) a second",
            runs: nil,
            metrics: [
                BenchMetric("full_rate", "one worker's full rate", fullRun.rate, digits: 0),
                BenchMetric("full_cpu_us", "CPU for a device at that rate", fullRun.microseconds, unit: "µs"),
                BenchMetric("rate_one", "devices a second, one worker", median { $0.one.rate }, digits: 0),
                BenchMetric(
                    "rate",
                    "devices a second, \(Self.workers) workers",
                    median { $0.several.rate },
                    digits: 0
                ),
                BenchMetric("cpu_one_us", "CPU for a device, one worker", median { $0.one.microseconds }, unit: "µs"),
                BenchMetric(
                    "cpu_us",
                    "CPU for a device, \(Self.workers) workers",
                    median { $0.several.microseconds },
                    unit: "µs"
                ),
                BenchMetric(
                    "cpu_ratio",
                    "that as a multiple of one worker's",
                    median { $0.several.microseconds / $0.one.microseconds },
                    target: .atMost(Self.target)
                ),
            ],
            details: pairs.map { .object(["one": $0.one.json, "several": $0.several.json]) }
        )
    }
}
