import Campaigns
import Operations
import Store

/// The cost of a device in the registry and in its index: when it registers, and when it changes.
struct RegistryScenario: Sendable {
    let stage: BenchStage

    /// Registers and indexes devices, then all of them again with another value of an attribute.
    func run() async throws -> BenchResult {
        let devices = stage.devices(.registry)
        let fleet = try await BenchFleet(.registry, stage)
        stage.say("registering and indexing \(NumberText.grouped(devices)) devices")
        let added = try await microseconds(devices) { try await fleet.register(0..<devices) }
        let indexed = try await microseconds(devices) { try await fleet.index() }
        stage.say("changing them")
        let changed = try await microseconds(devices) { try await fleet.register(0..<devices, levels: 1) }
        let again = try await microseconds(devices) { try await fleet.index() }
        let size = try await fleet.ledger.read { try $0.indexSize() }
        try await fleet.close()
        return BenchResult(
            scenario: .registry,
            subject: "\(NumberText.grouped(devices)) devices of nine terms each, one process",
            runs: nil,
            metrics: [
                BenchMetric("register_us", "a device registers", added, unit: "µs"),
                BenchMetric("index_us", "it is indexed", indexed, unit: "µs"),
                BenchMetric("change_us", "it changes an attribute", changed, unit: "µs"),
                BenchMetric("reindex_us", "the change is indexed", again, unit: "µs"),
                BenchMetric("index_bytes", "bytes of the index for a device", Double(size.bytes) / Double(devices)),
                BenchMetric(
                    "index_rows",
                    "rows of the index for 1,000 devices",
                    Double(size.rows * 1000) / Double(devices)
                ),
            ]
        )
    }

    private func microseconds(_ devices: Int, _ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .microseconds(1) / Double(max(1, devices))
    }
}
