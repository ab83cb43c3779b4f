import Campaigns
import Foundation
import Operations

/// A running simulator, mostly a bare one: the server of a measurement.
struct Peer: Sendable {
    /// The name of its process.
    let name: String
    /// The folder of its certificate authority and keys.
    let folder: String
    /// `https://127.0.0.1:PORT`.
    let endpoint: String
    let process: Int32
    /// The port of its control address on 127.0.0.1; nil for a bare simulator.
    let control: Int?
    private let processes: ChildProcesses

    /// Starts a simulator in a folder below the one given; `options` are those of `fanfare simulator`.
    static func start(
        _ name: String,
        below folder: String,
        options: [String] = [],
        isBare: Bool = true,
        _ stage: BenchStage
    ) async throws -> Peer {
        let own = "\(folder)/\(name)"
        let arguments = ["simulator", "--json", "--folder", own] + (isBare ? ["--bare"] : []) + options
        let process = try await stage.processes.start(name, stage.fanfare(arguments, on: .peer))
        let line = try await stage.processes.firstLine(of: name)
        let document = JSONReader.read(Array(line.utf8)).value
        guard let endpoint = document?["endpoint"]?.string else {
            throw CommandFailure(.failed, "the simulator does not print its address: \(line)")
        }
        return Peer(
            name: name,
            folder: own,
            endpoint: endpoint,
            process: process,
            control: (document?["control"]?.string?.split(separator: ":").last).flatMap { Int($0) },
            processes: stage.processes
        )
    }

    /// The file of its certificate authority.
    var ca: String { folder + "/ca.pem" }

    /// Returns its CPU so far, in seconds.
    func cpuSeconds() throws -> Double {
        guard let seconds = ProcessMetrics.cpuSeconds(of: process) else {
            throw CommandFailure(.failed, "the simulator has ended")
        }
        return seconds
    }

    /// The simulator's counts, named as in `BareCounts`.
    struct Counts: Sendable, Equatable {
        var answered: Int
        var dead: Int
        var unavailable: Int
        var ignored: Int
        var goAways: Int
        var connections: Int

        /// Reads the last line that `fanfare simulator --bare` prints; nil for anything else.
        init?(line: String) {
            let document = JSONReader.read(Array(line.utf8)).value
            func number(_ name: String) -> Int? { document?[name]?.integer.flatMap { Int(exactly: $0) } }
            guard let answered = number("answered"), let dead = number("dead"), let ignored = number("ignored"),
                let unavailable = number("unavailable"), let goAways = number("goaways"),
                let connections = number("connections")
            else { return nil }
            (self.answered, self.dead, self.unavailable) = (answered, dead, unavailable)
            (self.ignored, self.goAways, self.connections) = (ignored, goAways, connections)
        }
    }

    /// Stops the simulator and returns its counts.
    func stop() async throws -> Counts {
        let lines = await processes.stop(name)
        guard let counts = lines.last.flatMap({ Counts(line: $0) }) else {
            throw CommandFailure(.failed, "\(name) did not print its counts")
        }
        return counts
    }

    /// Returns the arrival times of requests (needs `--arrivals`), in nanoseconds of CLOCK_MONOTONIC.
    func arrivals() async -> [Int64] { Self.arrivals(in: await processes.lines(of: name)) }

    /// Returns one time for each request of the lines `{"requests":1,"at_ns":…}`.
    static func arrivals(in lines: [String]) -> [Int64] {
        lines.flatMap { line -> [Int64] in
            let document = JSONReader.read(Array(line.utf8)).value
            guard let requests = document?["requests"]?.integer, let at = document?["at_ns"]?.integer else { return [] }
            return Array(repeating: Int64(at), count: max(0, Int(requests)))
        }
    }
}
