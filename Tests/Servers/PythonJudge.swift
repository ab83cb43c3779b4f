import Foundation

/// Independent implementations that check ours: Python packages that `Deploy/test.sh` installs
/// (`install_python_judges`).
public enum PythonJudge {
    /// The error for a script that failed, with its standard error.
    public struct Failure: Error, CustomStringConvertible {
        /// The end of its standard error.
        public let description: String
    }

    /// The interpreter that has the packages; nil if they are not installed.
    private static let interpreter: String? = {
        if let path = ProcessInfo.processInfo.environment["JUDGE_PYTHON"] { return path }
        let path = FileManager.default.currentDirectoryPath + "/.build/python/bin/python"
        return FileManager.default.isExecutableFile(atPath: path) && hasPackages(path) ? path : nil
    }()

    /// True if the packages are installed, as `Deploy/test.sh` ensures; then a failing script fails the test.
    public static var isThere: Bool { interpreter != nil }

    /// Runs a script with arguments and returns the lines that it prints; throws when it fails.
    public static func lines(_ script: String, _ arguments: [String] = []) throws -> [String] {
        try run(["-c", script] + arguments)
    }

    /// Runs a file of this package, with a path from its root, and returns the lines that it prints; throws when it
    /// fails.
    public static func run(file: String, environment: [String: String]) throws -> [String] {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try run([root.appending(path: file).path], environment: environment)
    }

    private static func run(_ arguments: [String], environment: [String: String]? = nil) throws -> [String] {
        guard let interpreter else { throw Failure(description: "no Python with the packages: run Deploy/test.sh") }
        let process = Process()
        process.executableURL = URL(filePath: interpreter)
        process.arguments = arguments
        if let environment { process.environment = environment }
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: String((text + complaint).suffix(1500)))
        }
        return text.split(separator: "\n").map(String.init)
    }

    private static func hasPackages(_ interpreter: String) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: interpreter)
        process.arguments = ["-c", "import cryptography, google.auth.jwt, h2, http_ece, selenium, websockets"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
