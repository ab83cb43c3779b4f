import Campaigns
import Foundation
import Operations

/// The processes of a demo or a bench: mostly this executable, in the roles of a real fleet.
///
/// Each writes to a file of its own in the folder. All are ended by their pids.
package actor ChildProcesses {
    private struct Member {
        let name: String
        let process: Process
        let log: String
    }

    /// The time after which a worker gets a second SIGTERM, which ends its draining.
    private static let timeout = Duration.seconds(5)
    private static let end = Duration.seconds(10)

    private let folder: String
    private var members: [Member] = []

    /// Makes an empty set; logs go into an existing folder.
    package init(folder: String) {
        self.folder = folder
    }

    /// Returns the command line as a person would type it.
    package static func line(_ arguments: [String]) -> String { (["fanfare"] + arguments).joined(separator: " ") }

    /// Returns the command for this executable with arguments.
    package static func fanfare(_ arguments: [String]) throws -> [String] {
        guard let path = Bundle.main.executableURL?.path else {
            throw CommandFailure(.failed, "the path of this program is unknown")
        }
        return [path] + arguments
    }

    // MARK: Starting

    /// Starts a process that runs until it is stopped; returns its pid.
    ///
    /// `variables` are added to its environment.
    @discardableResult
    package func start(_ name: String, _ command: [String], variables: [String: String] = [:]) throws -> Int32 {
        let member = try launch(name, command, variables)
        members.append(member)
        return member.process.processIdentifier
    }

    /// Runs a command to its end and returns its output; throws when it fails.
    ///
    /// `variables` are added to its environment.
    package func run(_ name: String, _ command: [String], variables: [String: String] = [:]) async throws -> String {
        let member = try launch(name, command, variables)
        members.append(member)
        while member.process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        members.removeAll { $0.process === member.process }
        guard member.process.terminationStatus == 0 else { throw failure(of: member) }
        return text(member)
    }

    /// Runs a command to its end and returns the most memory that it had resident, in KiB; throws when it fails.
    func residentPeak(_ name: String, _ command: [String]) async throws -> Int {
        let member = try launch(name, command, [:])
        members.append(member)
        var peak = 0
        while member.process.isRunning {
            peak = max(peak, ProcessMetrics.residentPeak(of: member.process.processIdentifier) ?? 0)
            try await Task.sleep(for: .milliseconds(10))
        }
        members.removeAll { $0.process === member.process }
        guard member.process.terminationStatus == 0 else { throw failure(of: member) }
        return peak
    }

    // MARK: Reading

    /// Returns the first line that a process prints; throws when there is none in time.
    package func firstLine(of name: String) async throws -> String {
        for _ in 0..<500 {
            try check()
            if let line = lines(of: name).first { return line }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw CommandFailure(.failed, "\(name) printed nothing within 10 s; its output is in \(folder)/\(name).log")
    }

    /// Returns the complete lines that a process has printed so far.
    func lines(of name: String) -> [String] {
        guard let member = members.last(where: { $0.name == name }) else { return [] }
        return text(member).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// The log message of a `fanfare server` for an address that it listens on.
    package enum Listening: String {
        case api = "listening"
        /// Logged only when the edge has an address of its own.
        case edge = "the device edge"
    }

    /// Returns the port of 127.0.0.1 that a `fanfare server` listens on; throws when it logs none in time.
    package func listeningPort(of name: String, for what: Listening = .api) async throws -> Int {
        for _ in 0..<600 {
            try check()
            // Hummingbird logs that it listens, too, but not with a URL.
            let ports = lines(of: name).filter { $0.contains(what.rawValue) }.compactMap { line in
                line.firstRange(of: "://127.0.0.1:").map { line[$0.upperBound...].prefix { $0.isNumber } }
            }
            if let port = ports.first.flatMap({ Int($0) }) { return port }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw CommandFailure(.failed, "\(name) did not listen within 30 s; its log is in \(folder)/\(name).log")
    }

    /// Throws when a process has ended by itself.
    package func check() throws {
        for member in members where !member.process.isRunning { throw failure(of: member) }
    }

    /// The processes with their pids, for people.
    package var description: String {
        members.map { "\($0.name) \($0.process.processIdentifier)" }.joined(separator: ", ")
    }

    // MARK: Ending

    /// Ends all processes, the first one last; returns when they are gone.
    package func stop() async {
        for member in members.reversed() { await stop(member) }
        members.removeAll()
    }

    /// Ends a process and returns the lines that it printed.
    @discardableResult
    func stop(_ name: String) async -> [String] {
        guard let member = members.last(where: { $0.name == name }) else { return [] }
        await stop(member)
        defer { members.removeAll { $0.process === member.process } }
        return lines(of: name)
    }

    /// Kills a process with SIGKILL, as a crash would; returns when it is gone.
    func kill(_ name: String) async {
        guard let member = members.last(where: { $0.name == name }) else { return }
        Foundation.kill(member.process.processIdentifier, SIGKILL)
        // Waits even if cancelled, so that no process is left behind.
        while member.process.isRunning { try? await Task.sleep(for: .milliseconds(5)) }
        members.removeAll { $0.process === member.process }
    }

    private func stop(_ member: Member) async {
        let clock = ContinuousClock()
        let started = clock.now
        var times = 0
        while member.process.isRunning {
            let waited = clock.now - started
            if times == 0 || (times == 1 && waited > Self.timeout) {
                member.process.terminate()
                times += 1
            } else if waited > Self.end {
                Foundation.kill(member.process.processIdentifier, SIGKILL)
            }
            // Waits even if cancelled, so that no process is left behind.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    // MARK: A process

    private func launch(_ name: String, _ command: [String], _ variables: [String: String]) throws -> Member {
        let log = "\(folder)/\(name).log"
        guard FileManager.default.createFile(atPath: log, contents: nil),
            let output = FileHandle(forWritingAtPath: log)
        else { throw CommandFailure(.failed, "the file \(log) cannot be written") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        // Variables set for this process must not override the folder's configuration file.
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("FANFARE_") }
            .merging(variables) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try Self.run(process)
        try output.close()
        return Member(name: name, process: process, log: log)
    }

    /// Starts a process with no signals blocked: the runtime's threads block nearly all, and children inherit that.
    private static func run(_ process: Process) throws {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
    }

    private func text(_ member: Member) -> String {
        (try? String(contentsOfFile: member.log, encoding: .utf8)) ?? ""
    }

    private func failure(of member: Member) -> CommandFailure {
        let last = text(member).split(separator: "\n").suffix(3).map { TerminalText.safe(String($0)) }
        let reason = last.isEmpty ? "without output" : last.joined(separator: " | ")
        let status = member.process.terminationStatus
        return CommandFailure(.failed, "\(member.name) ended with \(status): \(reason) (\(member.log))")
    }
}
