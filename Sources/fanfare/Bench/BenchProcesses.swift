import Campaigns
import Fleet
import Foundation

/// The processes that a bench starts, each with its output in a file of the bench's folder; ended by their pids.
actor BenchProcesses {
    private struct Member {
        let name: String
        let process: Process
        let log: String
    }

    /// After so long a process that was told to end is killed.
    private static let patience = Duration.seconds(30)

    private let folder: String
    private let cores: BenchCores
    private var members: [Member] = []

    init(folder: String, cores: BenchCores) {
        self.folder = folder
        self.cores = cores
    }

    /// Starts this executable in one of its roles, to run until `stop`; answers its pid.
    func start(_ name: String, fanfare arguments: [String], on side: BenchCores.Side) throws -> Int32 {
        let member = try launch(name, try Self.executable() + arguments, on: side)
        members.append(member)
        return member.process.processIdentifier
    }

    /// Runs this executable to its end and answers what it printed; throws when it fails.
    func run(_ name: String, fanfare arguments: [String], on side: BenchCores.Side) async throws -> String {
        try await run(name, try Self.executable() + arguments, on: side)
    }

    /// The same for any program.
    func run(_ name: String, _ command: [String], on side: BenchCores.Side) async throws -> String {
        let member = try launch(name, command, on: side)
        members.append(member)
        while member.process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        members.removeAll { $0.process === member.process }
        guard member.process.terminationStatus == 0 else { throw failure(of: member) }
        return text(member)
    }

    /// The first line that a process printed.
    func firstLine(of name: String) async throws -> String {
        for _ in 0..<500 {
            try check()
            if let member = members.first(where: { $0.name == name }) {
                let lines = text(member).split(separator: "\n", omittingEmptySubsequences: false)
                if lines.count > 1 { return String(lines[0]) }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw CommandFailure(.failed, "\(name) said nothing within 10 s; its output is in \(folder)/\(name).log")
    }

    /// Throws when one of them ended by itself.
    func check() throws {
        for member in members where !member.process.isRunning { throw failure(of: member) }
    }

    /// Ends all of them, the last one that was started first; returns when they are gone.
    func stop() async {
        for member in members.reversed() {
            let started = ContinuousClock.now
            if member.process.isRunning { member.process.terminate() }
            while member.process.isRunning {
                if ContinuousClock.now - started > Self.patience { kill(member.process.processIdentifier, SIGKILL) }
                // Cancelled or not, nobody is left behind.
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        members.removeAll()
    }

    private static func executable() throws -> [String] {
        guard let path = Bundle.main.executableURL?.path else {
            throw CommandFailure(.failed, "the path of this program is unknown")
        }
        return [path]
    }

    private func launch(_ name: String, _ command: [String], on side: BenchCores.Side) throws -> Member {
        let log = "\(folder)/\(name).log"
        guard FileManager.default.createFile(atPath: log, contents: nil),
            let output = FileHandle(forWritingAtPath: log)
        else { throw CommandFailure(.failed, "the file \(log) cannot be written") }
        let command = cores.command(command, on: side)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        // What is set here for this process must not overrule the bench's own configuration file.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FANFARE_") }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try output.close()
        return Member(name: name, process: process, log: log)
    }

    private func text(_ member: Member) -> String {
        (try? String(contentsOfFile: member.log, encoding: .utf8)) ?? ""
    }

    private func failure(of member: Member) -> CommandFailure {
        let last = text(member).split(separator: "\n").suffix(3).map { TerminalText.safe(String($0)) }
        let reason = last.isEmpty ? "without a word" : last.joined(separator: " | ")
        let status = member.process.terminationStatus
        return CommandFailure(.failed, "\(member.name) ended with \(status): \(reason) (\(member.log))")
    }
}
