import Campaigns
import Operations

/// A worker's allocations for each device: the difference between two campaigns of different sizes.
///
/// Allocations for a campaign, for a shard or over time are shared by its devices; one for each device counts 1.
struct AllocationScenario: Sendable {
    let stage: BenchStage

    /// Well below one for each device.
    static let target = 0.5
    private static let small = "small"

    /// Runs both campaigns in each round.
    func run() async throws -> BenchResult {
        let (devices, rounds) = (stage.devices(.allocations), stage.rounds(.allocations))
        let few = devices / 5
        let fleet = try await BenchFleet(.allocations, stage)
        let counter = try await AllocationCounter.build(in: fleet.folder.path, stage)
        let peer = try await Peer.start("far-allocations", below: fleet.folder.path, stage)
        try await fleet.upload(devices)
        try await fleet.upload(few, as: Self.small, seed: 1)
        try await fleet.start(1, BenchFleet.WorkerSetup(variables: counter.variables), to: [BenchJob.app: peer])
        // Buffers and pools grow to their size once.
        _ = try await fleet.send(few, to: Self.small, peer: peer)
        var values: [Double] = []
        for _ in 0..<rounds {
            let start = try counter.count()
            _ = try await fleet.send(few, to: Self.small, peer: peer)
            let middle = try counter.count()
            _ = try await fleet.send(devices, peer: peer)
            let end = try counter.count()
            values.append(Self.perDevice(few: (few, middle - start), many: (devices, end - middle)))
        }
        try await fleet.close()
        await stage.processes.stop(peer.name)
        return BenchResult(
            scenario: .allocations,
            subject: "one worker, campaigns of \(NumberText.grouped(few)) and \(NumberText.grouped(devices)) devices",
            runs: nil,
            metrics: [
                BenchMetric(
                    "allocations",
                    "allocations of the whole process for a device",
                    BenchNumber.median(values),
                    digits: 3,
                    target: .atMost(Self.target)
                )
            ],
            notes: ["malloc, calloc, realloc and their like, those of OpenSSL, nghttp2 and SQLite too"],
            details: values.map(JSONValue.decimal)
        )
    }

    /// Returns the allocations for one more device.
    static func perDevice(few: (devices: Int, count: Int), many: (devices: Int, count: Int)) -> Double {
        Double(many.count - few.count) / Double(max(1, many.devices - few.devices))
    }
}
