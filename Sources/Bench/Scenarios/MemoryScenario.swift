import Campaigns
import Operations

/// A worker's resident memory: with a small audience, with a large one, and its growth during the large one.
struct MemoryScenario: Sendable {
    let stage: BenchStage

    /// Devices of the small audience.
    static let few = 10_000
    /// MB.
    static let target = 100.0
    /// The allowed growth while a campaign is sent: page caches and the like, nothing that counts devices.
    static let growth = 1.1

    /// Sends to both audiences, each with a new worker.
    func run() async throws -> BenchResult {
        let devices = stage.devices(.memory)
        let few = min(Self.few, devices / 2)
        let fleet = try await BenchFleet(.memory, stage)
        let peer = try await Peer.start("far-memory", below: fleet.folder.path, stage)
        try await fleet.upload(few, as: "small", seed: 1)
        try await fleet.upload(devices)
        try await fleet.start(to: [BenchJob.app: peer])
        let small = try await fleet.send(few, to: "small", peer: peer)
        await fleet.stopWorkers()
        try await fleet.start(to: [BenchJob.app: peer])
        stage.say("sending to \(NumberText.grouped(devices)) devices")
        let large = try await fleet.send(devices, peer: peer)
        try await fleet.close()
        await stage.processes.stop(peer.name)
        func peak(_ name: String, _ devices: Int, _ run: CampaignRun) -> BenchMetric {
            BenchMetric(
                name,
                "resident peak with \(NumberText.grouped(devices)) devices",
                Double(run.residentPeak) / 1024,
                unit: "MB",
                digits: 0,
                target: .atMost(Self.target)
            )
        }
        return BenchResult(
            scenario: .memory,
            subject: "one worker a campaign, \(NumberText.grouped(few)) and \(NumberText.grouped(devices)) devices",
            runs: nil,
            metrics: [
                peak("resident_few_mb", few, small), peak("resident_mb", devices, large),
                BenchMetric(
                    "growth",
                    "resident at nine tenths of the large campaign, as a multiple of that at a tenth",
                    large.residentGrowth,
                    target: .atMost(Self.growth)
                ),
                BenchMetric("rate", "devices a second", large.rate, digits: 0),
            ],
            details: [small.json, large.json]
        )
    }
}
