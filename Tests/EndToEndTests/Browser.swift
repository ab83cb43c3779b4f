import Foundation
import Servers

/// Debian's Chromium, driven by a script of `Tests/Browser`.
enum Browser {
    /// True if the browser and the packages that drive it are present; `Deploy/test.sh` installs both.
    static let isThere = PythonJudge.isThere && FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver")

    /// Runs a script and returns the lines that it prints; throws when it fails.
    ///
    /// It keeps screenshots in the folder that `SCREENSHOTS` names.
    static func run(
        _ script: String,
        _ environment: [String: String],
        in folder: String
    ) async throws -> [String] {
        let screenshots = folder + "/screenshots"
        try FileManager.default.createDirectory(atPath: screenshots, withIntermediateDirectories: true)
        defer { try? keep(screenshots) }
        let own = ["SCREENSHOTS": screenshots, "PATH": "/usr/bin:/bin", "HOME": folder]
        return try await aside {
            try PythonJudge.run(file: "Tests/Browser/\(script)", environment: environment.merging(own) { $1 })
        }
    }

    /// Copies the screenshots to `.build/screenshots` and prints their paths, for people who want to see them.
    private static func keep(_ screenshots: String) throws {
        let folder = FileManager.default.currentDirectoryPath + "/.build/screenshots"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: screenshots).sorted() {
            let path = "\(folder)/\(name)"
            try? FileManager.default.removeItem(atPath: path)  // from an earlier run
            try FileManager.default.copyItem(atPath: "\(screenshots)/\(name)", toPath: path)
            print("screenshot: \(path)")
        }
    }
}
