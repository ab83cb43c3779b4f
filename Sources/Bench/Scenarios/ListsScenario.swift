import Campaigns
import Foundation
import Operations

/// Uploads of a list: devices a second and the client's memory, beside the rate at which the disk takes as many bytes.
struct ListsScenario: Sendable {
    let stage: BenchStage

    /// Devices a second, unless the disk is slower.
    static let target = 500_000.0
    /// The allowed growth of the client's memory from a fifth of the devices to all of them.
    static let growth = 1.2
    /// The devices of a write into the file.
    private static let batch = 20_000

    /// One upload.
    private struct Upload {
        var devices: Int
        var seconds: Double
        var residentPeak: Int
        /// The bytes by which the ledger and its log have grown; nil of a database on a server.
        var written: Int?

        var rate: Double { Double(devices) / seconds }

        var json: JSONValue {
            .object([
                "devices": .number(JSONNumber(devices)), "seconds": .decimal(seconds),
                "resident_peak_kib": .number(JSONNumber(residentPeak)),
                "written_bytes": written.map { .number(JSONNumber($0)) },
            ])
        }
    }

    /// Uploads a fifth of the devices, then all of them several times, each time as another list.
    func run() async throws -> BenchResult {
        let (devices, rounds) = (stage.devices(.lists), stage.rounds(.lists))
        let fleet = try await BenchFleet(.lists, stage)
        let small = try await upload(max(1, devices / 5), seed: 100, fleet)
        var all: [Upload] = []
        var disk: [Double] = []
        for round in 1...rounds {
            stage.say("round \(round) of \(rounds)")
            let one = try await upload(devices, seed: UInt64(round), fleet)
            all.append(one)
            if let written = one.written { disk.append(try diskSeconds(written, in: fleet.folder.path)) }
        }
        try await fleet.close()
        let shares = zip(all, disk).map { upload, seconds in seconds / upload.seconds }
        return BenchResult(
            scenario: .lists,
            subject: "fanfare list put of a CSV file with \(NumberText.grouped(devices)) devices",
            runs: nil,
            metrics: [
                BenchMetric(
                    "rate",
                    "devices a second",
                    BenchNumber.median(all.map(\.rate)),
                    digits: 0,
                    target: .atLeast(Self.target)
                ),
                BenchMetric(
                    "disk_share",
                    "the disk's time for the same bytes, as a share of the upload's",
                    shares.isEmpty ? nil : BenchNumber.median(shares)
                ),
                BenchMetric(
                    "resident_mb",
                    "resident peak of the client",
                    Double(all.map(\.residentPeak).max() ?? 0) / 1024,
                    unit: "MB",
                    digits: 0,
                    target: .atMost(100)
                ),
                BenchMetric(
                    "growth",
                    "resident peak, as a multiple of that with a fifth of the devices",
                    Double(all.map(\.residentPeak).max() ?? 0) / Double(max(1, small.residentPeak)),
                    target: .atMost(Self.growth)
                ),
            ],
            notes: ["the disk's time is that of one file of as many bytes as ledger and log have grown by, synced"],
            details: ([small] + all).map(\.json)
        )
    }

    private func upload(_ devices: Int, seed: UInt64, _ fleet: BenchFleet) async throws -> Upload {
        let file = "\(fleet.folder.path)/devices-\(seed).csv"
        try writeFile(file, devices, seed: seed)
        defer { try? FileManager.default.removeItem(atPath: file) }
        stage.say("list put of \(NumberText.grouped(devices)) devices")
        let before = Self.ledgerBytes(fleet.folder)
        let arguments = [
            "list", "put", "bench-\(seed)", file, "--app", BenchJob.app, "--config", fleet.folder.configuration,
            "--json",
        ]
        let start = ContinuousClock.now
        let peak = try await stage.processes.residentPeak("list-put", ChildProcesses.fanfare(arguments))
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let after = Self.ledgerBytes(fleet.folder)
        let written = stage.server == nil ? after - before : nil
        return Upload(devices: devices, seconds: seconds, residentPeak: peak, written: written)
    }

    private func writeFile(_ path: String, _ devices: Int, seed: UInt64) throws {
        var tokens = MadeUpTokens(seed: seed)
        try Data("token\n".utf8).write(to: URL(fileURLWithPath: path))
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        _ = try handle.seekToEnd()
        for start in stride(from: 0, to: devices, by: Self.batch) {
            var text = ""
            for _ in start..<min(start + Self.batch, devices) { text += tokens.apns() + "\n" }
            try handle.write(contentsOf: Data(text.utf8))
        }
    }

    /// Returns the size of the ledger's file and of its log.
    private static func ledgerBytes(_ folder: RunFolder) -> Int {
        let sizes = [folder.ledger, folder.ledger + "-wal"].compactMap { path in
            (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
        }
        return sizes.reduce(0, +)
    }

    /// Returns the seconds in which the disk takes as many bytes in one file, synced.
    private func diskSeconds(_ bytes: Int, in folder: String) throws -> Double {
        let path = folder + "/disk"
        let piece = Data(repeating: 0x5A, count: 1 << 20)
        try Data().write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let start = ContinuousClock.now
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        for _ in 0..<max(1, bytes >> 20) { try handle.write(contentsOf: piece) }
        try handle.synchronize()
        try handle.close()
        return (ContinuousClock.now - start) / .seconds(1)
    }
}
