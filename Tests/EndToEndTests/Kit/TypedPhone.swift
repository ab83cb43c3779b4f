import Foundation
import Servers
import Simulator
import Testing

/// `fanfare phone` with typed input.
final class TypedPhone {
    private let process: FanfareProcess
    private let keys: FileHandle

    /// Opens the edge of a fleet's app and starts a server, a worker and the phone, which registers.
    init(_ fleet: PrivateFleet, _ options: String...) async throws {
        let key = try await fleet.openEdge()
        let port = try await fleet.startServer()
        _ = try await fleet.startWorker()
        try Data(key.utf8).write(to: URL(fileURLWithPath: fleet.folder + "/key.txt"))
        let control = try #require(fleet.simulator.controlPort)
        let pipe = Pipe()
        keys = pipe.fileHandleForWriting
        process = try fleet.start(
            [
                "phone", "--server", "http://127.0.0.1:\(port)", "--integration", "key.txt", "--simulator",
                "http://127.0.0.1:\(control)",
            ] + options,
            input: pipe.fileHandleForReading
        )
        try await sees("registration: registered")
    }

    var output: String { process.output }

    func say(_ lines: String...) throws {
        try keys.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// Waits until it has printed this text so many times.
    func sees(_ text: String, times: Int = 1) async throws {
        try await eventually("the phone says \(text)") { [process] in
            guard process.isRunning else { throw FanfareProcess.Failure(process.output + process.errors) }
            return process.output.components(separatedBy: text).count > times
        }
    }

    /// Types lines and waits for its end; returns the outcome.
    ///
    /// A phone ends by itself, after what it waits for: 30 s for each `wait` and for each request that is on its way
    /// (`EdgeConnection`). The limit is for one that hangs.
    func quits(_ lines: String...) async throws -> FanfareProcess.Outcome {
        try keys.write(contentsOf: Data((lines + ["quit"]).map { $0 + "\n" }.joined().utf8))
        return try await process.ended(within: .seconds(240))
    }
}
