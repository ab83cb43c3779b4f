import Foundation
import Servers

/// The Android example's app: a Java process with its data in a folder, which can be killed and restarted.
final class AndroidPhone {
    let server: String
    private let fleet: PrivateFleet
    private let arguments: [String]
    private let folder: String
    private var process: FanfareProcess?
    private var orders: FileHandle?

    init(_ fleet: PrivateFleet, folder: String, server: String, key: String, names: [String: String] = [:]) {
        self.fleet = fleet
        self.folder = folder
        self.server = server
        let pairs = names.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        arguments = ["-cp", "java", "AndroidPhone", folder, server, key] + pairs
    }

    /// The file of its unsent events.
    var journal: URL { URL(filePath: folder + "/events.ndjson") }

    /// Its output since it was started.
    var output: String { process?.output ?? "" }

    func start() async throws {
        let pipe = Pipe()
        let started = try fleet.start(
            arguments,
            input: pipe.fileHandleForReading,
            executable: JavaDevelopmentKit.machine
        )
        (process, orders) = (started, pipe.fileHandleForWriting)
        try await sees("started")
    }

    /// Kills the app with SIGKILL, as the system does.
    func kill() {
        process?.kill()
    }

    /// Sends orders without waiting for them.
    func say(_ lines: [String]) throws {
        try orders?.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Sends an order and waits until it is done.
    func perform(_ order: String) async throws {
        let word = String(order.prefix { $0 != " " })
        let before = count(ofDone: word)
        try say([order])
        try await eventually("the Android phone has done \(order)") { [self] in
            try look()
            return count(ofDone: word) > before
        }
    }

    func sees(_ text: String) async throws {
        try await eventually("the Android phone says \(text)") { [self] in
            try look()
            return output.contains(text)
        }
    }

    /// Returns the number of times that it has reported an order of this name as done.
    func count(ofDone word: String) -> Int {
        output.split(separator: "\n").count { $0 == "done \(word)" || $0.hasPrefix("done \(word) ") }
    }

    private func look() throws {
        guard let process, process.isRunning else {
            throw FanfareProcess.Failure(output + (process?.errors ?? "not started"))
        }
    }
}
