import Campaigns
import Foundation

/// The bare simulator that both senders send to.
struct FarSide: Sendable {
    /// `https://127.0.0.1:PORT`.
    let endpoint: String
    let process: Int32

    /// Starts it; its authority, keys and `apps.yaml` go into the folder.
    static func start(folder: String, _ processes: BenchProcesses) async throws -> FarSide {
        let name = "simulator"
        let arguments = ["simulator", "--bare", "--json", "--folder", folder]
        let process = try await processes.start(name, fanfare: arguments, on: .far)
        let line = try await processes.firstLine(of: name)
        guard let endpoint = JSONReader.read(Array(line.utf8)).value?["endpoint"]?.string else {
            throw CommandFailure(.failed, "the simulator does not say where it is: \(line)")
        }
        return FarSide(endpoint: endpoint, process: process)
    }

    /// Its CPU so far, in seconds.
    func cpuSeconds() throws -> Double {
        guard let seconds = ProcessFigures.cpuSeconds(of: process) else {
            throw CommandFailure(.failed, "the simulator has ended")
        }
        return seconds
    }
}
