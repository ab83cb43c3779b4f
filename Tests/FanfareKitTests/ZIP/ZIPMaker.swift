import Foundation
import Testing

/// Archives made by an independent implementation: Python's zipfile.
enum ZIPMaker {
    /// Returns the archives of a script by name; `add(name, make)` adds one, and `make(z)` fills it.
    static func archives(_ script: String) async throws -> [String: Data] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("zips-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("make.py")
        try Data((prelude + script).utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", file.path, folder.path]
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        try #require(status == 0)
        var found: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".zip") {
            found[String(name.dropLast(4))] = try Data(contentsOf: folder.appendingPathComponent(name))
        }
        return found
    }

    private static let prelude = """
        import random, struct, sys, zipfile, zlib
        from zipfile import ZipFile, ZipInfo, ZIP_DEFLATED, ZIP_STORED

        def add(name, make, **options):
            with ZipFile(f"{sys.argv[1]}/{name}.zip", "w", ZIP_DEFLATED, **options) as z:
                make(z)

        def patch(name, source, change):
            data = bytearray(open(f"{sys.argv[1]}/{source}.zip", "rb").read())
            change(data)
            open(f"{sys.argv[1]}/{name}.zip", "wb").write(data)

        """
}
