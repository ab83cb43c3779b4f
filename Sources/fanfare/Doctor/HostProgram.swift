import Foundation

/// Programs of the system that a command runs.
enum HostProgram {
    /// Runs a program to its end; returns its status and its output, without its errors.
    static func run(_ path: String, _ arguments: [String]) async throws -> (status: Int32, output: [UInt8]) {
        let (process, pipe, ended) = (Process(), Pipe(), AsyncStream<Void>.makeStream())
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { _ in ended.continuation.finish() }
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        for await _ in ended.stream {}
        return (process.terminationStatus, Array(output))
    }
}
