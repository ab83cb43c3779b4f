public import Foundation

/// A process of the built executable, which is next to the test bundle.
///
/// A guard process kills it when the test process ends, in any way. May be used from any task.
public final class FanfareProcess: Sendable {
    /// The error for a process that could not be started, or did not end.
    public struct Failure: Error, CustomStringConvertible {
        /// The failure as text.
        public let description: String

        /// Creates an error.
        public init(_ description: String) {
            self.description = description
        }
    }

    /// The result of a process.
    public struct Outcome: Sendable {
        /// The exit code; the signal's number when a signal ended it.
        public let exit: Int32
        /// True if a signal ended it.
        public let isSignalled: Bool
        /// The text on standard output.
        public let output: String
        /// The text on standard error.
        public let errors: String
    }

    private let process: Process
    private let outputPath: String
    private let errorsPath: String

    /// The process id, which identifies it in logs and in the ledger.
    public var pid: pid_t { process.processIdentifier }

    /// Starts the executable in a folder, to which its output goes too.
    ///
    /// `environment` is its whole environment. `log` replaces the file for its standard error, and `input` its empty
    /// standard input. `hosts` is a file that only this process sees as /etc/hosts. `executable` is another executable,
    /// such as the previous version's. `descriptors` limits its open files.
    public init(
        _ arguments: [String],
        folder: String,
        environment: [String: String] = [:],
        log: FileHandle? = nil,
        input: FileHandle? = nil,
        hosts: String? = nil,
        executable: String? = nil,
        descriptors: Int? = nil
    ) throws {
        let name = "\(folder)/\(arguments.first ?? "fanfare")-\(UInt32.random(in: 0 ... .max))"
        (outputPath, errorsPath) = (name + ".out", name + ".err")
        process = Process()
        let program = try executable ?? Self.built("fanfare")
        var command = hosts.map { Self.command(program, seeing: $0) } ?? [program]
        if let descriptors {
            // The shell sets the limit for itself and then becomes the program.
            command = ["/bin/sh", "-c", "ulimit -n \(descriptors); exec \"$0\" \"$@\""] + command
        }
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = command.dropFirst() + arguments
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = input ?? FileHandle.nullDevice
        // Files, because unlike pipes they never fill up.
        process.standardOutput = try Self.file(outputPath)
        process.standardError = try log ?? Self.file(errorsPath)
        try process.run()
        try watch()
    }

    /// Runs a command and waits for its end.
    public static func run(
        _ arguments: [String],
        folder: String,
        environment: [String: String] = [:],
        hosts: String? = nil
    ) async throws -> Outcome {
        let process = try FanfareProcess(arguments, folder: folder, environment: environment, hosts: hosts)
        return try await process.ended()
    }

    /// Waits until the process has ended; kills it if it does not end in time.
    public func ended(within limit: Duration = .seconds(60)) async throws -> Outcome {
        do {
            try await eventually("the end of \(process.arguments ?? [])", within: limit) { !process.isRunning }
        } catch {
            kill()
            throw error
        }
        return Outcome(
            exit: process.terminationStatus,
            isSignalled: process.terminationReason == .uncaughtSignal,
            output: text(outputPath),
            errors: errors
        )
    }

    /// The standard output so far.
    public var output: String { text(outputPath) }

    /// The standard error so far.
    public var errors: String { text(errorsPath) }

    /// True while it runs.
    public var isRunning: Bool { process.isRunning }

    /// Sends SIGTERM.
    public func terminate() {
        process.terminate()
    }

    /// Sends a signal, such as SIGSTOP or SIGTSTP.
    public func signal(_ number: Int32) {
        _ = Foundation.kill(process.processIdentifier, number)
    }

    /// Kills the process (SIGKILL) and waits for its end; has no effect when it has ended.
    public func kill() {
        guard process.isRunning else { return }
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// True if processes can be given their own /etc/hosts here: a kernel may refuse namespaces.
    public static let canSeeOtherHosts = {
        let words = command("/bin/true", seeing: "/etc/hosts")
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: words[0])
        probe.arguments = Array(words.dropFirst())
        guard (try? probe.run()) != nil else { return false }
        probe.waitUntilExit()
        return probe.terminationStatus == 0
    }()

    /// Returns the command for a program in its own mount namespace, with the same process id.
    private static func command(_ program: String, seeing hosts: String) -> [String] {
        let asRoot = getuid() == 0 ? [] : ["--map-root-user"]
        let script = #"/bin/mount --bind "$0" /etc/hosts && exec "$@""#
        return ["/usr/bin/unshare", "--mount"] + asRoot + ["/bin/sh", "-c", script, hosts, program]
    }

    private func watch() throws {
        // A look starts a process of its own, and dozens of these watch at a time.
        let guardian = Process()
        guardian.executableURL = URL(fileURLWithPath: "/bin/sh")
        let (test, own) = (getpid(), process.processIdentifier)
        guardian.arguments = [
            "-c", "while kill -0 \(own) && kill -0 \(test); do sleep 5; done; kill -0 \(test) || kill -9 \(own)",
        ]
        guardian.standardInput = FileHandle.nullDevice
        guardian.standardOutput = FileHandle.nullDevice
        guardian.standardError = FileHandle.nullDevice
        try guardian.run()
    }

    private func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    private static func file(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(fileURLWithPath: path))
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }

    /// Returns the path of an executable that was built with the tests.
    public static func built(_ name: String) throws -> String {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let candidates = [CommandLine.arguments[0], own].map { path in
            URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent(name)
        }
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw Failure("no executable \(name) beside \(candidates.map(\.path))")
        }
        return found.path
    }
}
