import Foundation
import Servers

/// The Java compiler and VM that `Deploy/test.sh` installs.
enum JavaDevelopmentKit {
    static let compiler = "/usr/bin/javac"
    static let machine = "/usr/bin/java"

    /// True if they are installed; otherwise the Android example is not tested.
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: compiler) }

    /// Compiles the Android example into a folder; any warning is an error.
    static func compileExample(into folder: String) throws {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let example = root.appending(path: "Deploy/examples/android")
        let files = try FileManager.default.contentsOfDirectory(at: example, includingPropertiesForKeys: nil)
            .map(\.path).filter { $0.hasSuffix(".java") }
        let process = Process()
        process.executableURL = URL(filePath: compiler)
        process.arguments = ["-encoding", "UTF-8", "-Xlint:all", "-Werror", "-d", folder] + files.sorted()
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw FanfareProcess.Failure(String(decoding: said, as: UTF8.self))
        }
    }
}
