import Foundation
import Servers
import Testing

/// The drivers that ship, on a seeded scheduler: the program of `Deploy/fleet-simulate.sh`, in a process of its own.
@Suite struct FleetSimulationTests {
    /// The workers of a run: as they ship, with a ledger, or couriers on the drivers of `Transport` alone.
    static let workers = [[], ["--couriers"]]

    /// Runs seeds and returns what the process printed.
    private func run(_ seed: UInt64, count: Int, _ workers: [String]) async throws -> FanfareProcess.Outcome {
        let folder = NSTemporaryDirectory() + "fleet-simulate-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let process = try FanfareProcess(
            ["\(seed)", "\(count)"] + workers,
            folder: folder,
            environment: ["SWIFT_BACKTRACE": "enable=no"],
            executable: try FanfareProcess.built("fleet-simulate")
        )
        return try await process.ended(within: .seconds(600))
    }

    @Test(arguments: workers)
    func `a seed gives the same trace in two processes, byte for byte`(_ workers: [String]) async throws {
        let (first, second) = (try await run(1, count: 10, workers), try await run(1, count: 10, workers))
        #expect(first.output == second.output)
        #expect(first.output.split(separator: "\n").count { $0.contains("trace") } == 10, "\(first.output)")
    }

    @Test(arguments: workers) func `fresh seeds break no law`(_ workers: [String]) async throws {
        let outcome = try await run(.random(in: 0..<1 << 32), count: 50, workers)
        #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
    }

    /// The law that is planted, that the push service never sends GOAWAY, is broken by one fault of many.
    @Test(arguments: workers)
    func `a failing seed is made smaller until only the fault that breaks the law is left`(
        _ workers: [String]
    ) async throws {
        let outcome = try await run(30, count: 1, workers + ["--planted-law"])
        #expect(outcome.exit == 1)
        let lines = outcome.output.split(separator: "\n")
        let begin = try #require(lines.firstIndex { $0.hasPrefix("smallest: 1 workers, 1 shards of ") }, "\(lines)")
        let faults = lines[(begin + 1)...].prefix { $0.hasPrefix("  at ") }
        #expect(faults.count == 1, "\(outcome.output)")
        #expect(faults.first?.hasSuffix(" ms: goAway") ?? false, "\(faults)")
    }
}
