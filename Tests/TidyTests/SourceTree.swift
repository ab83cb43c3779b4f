import Foundation

/// The repository as the tidy test reads it, found from this file upwards by `Package.swift`.
struct SourceTree {
    /// The text files of `Sources`, `Tests` and `Deploy`.
    let files: [SourceFile]
    /// Every path below those folders, folders included.
    let paths: [String]
    /// The entries beside `Package.swift`.
    let topLevel: [String]
    private let folder: URL

    /// The tree that this test belongs to, read once.
    static let repository = Result { try SourceTree(above: #filePath) }

    private init(above file: String) throws {
        var folder = URL(fileURLWithPath: file).resolvingSymlinksInPath().deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) {
            guard folder.path != "/" else { throw NoPackage(file: file) }
            folder.deleteLastPathComponent()
        }
        self.folder = folder
        topLevel = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        var paths: [String] = []
        for top in ["Sources", "Tests", "Deploy"] where topLevel.contains(top) {
            let below = try FileManager.default.subpathsOfDirectory(atPath: folder.appendingPathComponent(top).path)
            paths += below.filter { !$0.contains("__pycache__") }.map { "\(top)/\($0)" }
        }
        self.paths = paths.sorted()
        files = try self.paths.filter(Self.isText).map { path in
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            return SourceFile(path: path, text: text)
        }
    }

    /// Returns the text of a file outside `files`, such as a page of the documentation.
    func text(of path: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }

    /// Returns the bytes of every file of the tree, pages and data too, and of the files beside `Package.swift`.
    func allTexts() -> [(path: String, text: [UInt8])] {
        (paths + topLevel).compactMap { path in
            guard let data = try? Data(contentsOf: folder.appendingPathComponent(path)) else { return nil }
            return (path, Array(data))
        }
    }

    /// Writes a file that is made from the tree, such as a picture.
    func write(_ text: String, to path: String) throws {
        try text.write(to: folder.appendingPathComponent(path), atomically: true, encoding: .utf8)
    }

    private static func isText(_ path: String) -> Bool {
        ["swift", "sh", "py", "c", "h", "modulemap", "proto", "sql"].contains(URL(fileURLWithPath: path).pathExtension)
    }
}

/// The error when the test was not built from a checkout.
struct NoPackage: Error, CustomStringConvertible {
    let file: String
    var description: String { "no Package.swift above \(file)" }
}
