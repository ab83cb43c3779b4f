import Foundation

/// Runs the built executable as an operator would: arguments, its own environment, no terminal.
struct Command {
    /// The result of a command.
    struct Outcome {
        let exit: Int32
        let output: String
        let errors: String
    }

    /// The folder that it runs in.
    let folder: String
    var environment: [String: String] = [:]

    /// Runs the command to its end, without standard input.
    func run(_ arguments: String...) throws -> Outcome { try run(arguments) }

    /// Runs the command to its end, with a text as standard input or without any.
    func run(_ arguments: [String], input: String? = nil) throws -> Outcome {
        let process = try process(arguments)
        if let input {
            let name = folder + "/input-" + UUID().uuidString
            try Data(input.utf8).write(to: URL(fileURLWithPath: name))
            process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: name))
            try FileManager.default.removeItem(atPath: name)
        }
        let output = try Capture(folder: folder)
        let errors = try Capture(folder: folder)
        process.standardOutput = output.handle
        process.standardError = errors.handle
        try process.run()
        process.waitUntilExit()
        return Outcome(exit: process.terminationStatus, output: try output.text(), errors: try errors.text())
    }

    /// Returns a process that is not started yet.
    func process(_ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = try Self.executable()
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = FileHandle.nullDevice
        return process
    }

    /// Returns `fanfare`, which is next to the test bundle.
    private static func executable() throws -> URL {
        let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let candidates = [CommandLine.arguments[0], bundle.path].map { path in
            URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("fanfare")
        }
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw Missing(description: "no executable fanfare beside \(candidates.map(\.path))")
        }
        return found
    }

    /// The error when the executable was not built.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }
}

/// A file that a process writes to, because unlike a pipe it never fills up.
private struct Capture {
    let path: String
    let handle: FileHandle

    init(folder: String) throws {
        path = folder + "/output-" + UUID().uuidString
        try Data().write(to: URL(fileURLWithPath: path))
        handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }

    func text() throws -> String {
        try handle.close()
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        return String(decoding: data, as: UTF8.self)
    }
}

/// A test's folder, removed with the test.
final class CommandFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "fanfare-command-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
    }
}
