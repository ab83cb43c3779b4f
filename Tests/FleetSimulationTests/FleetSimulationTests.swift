import Foundation
import Servers
import Testing

/// The drivers that ship, on a seeded scheduler: the program of `Deploy/fleet-simulate.sh`, in a process of its own.
@Suite struct FleetSimulationTests {
    /// Runs seeds and returns what the process printed.
    private func run(_ seed: UInt64, count: Int) async throws -> FanfareProcess.Outcome {
        let folder = NSTemporaryDirectory() + "fleet-simulate-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let process = try FanfareProcess(
            ["\(seed)", "\(count)"],
            folder: folder,
            environment: ["SWIFT_BACKTRACE": "enable=no"],
            executable: try FanfareProcess.built("fleet-simulate")
        )
        return try await process.ended(within: .seconds(600))
    }

    @Test func `a seed gives the same trace in two processes, byte for byte`() async throws {
        let (first, second) = (try await run(1, count: 10), try await run(1, count: 10))
        #expect(first.output == second.output)
        #expect(first.output.split(separator: "\n").count { $0.contains("trace") } == 10, "\(first.output)")
    }

    @Test func `fresh seeds break no law`() async throws {
        let outcome = try await run(.random(in: 0..<1 << 32), count: 50)
        #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
    }
}
