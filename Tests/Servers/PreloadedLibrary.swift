import Foundation

/// Libraries in C that a test's processes load before all others.
enum PreloadedLibrary {
    /// Compiles a library by the toolchain's clang; returns its path.
    static func compile(_ source: String, name: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fanfare-\(name)-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (code, library) = (folder.appendingPathComponent("\(name).c"), folder.appendingPathComponent("\(name).so"))
        try Data(source.utf8).write(to: code)
        let clang = Process()
        clang.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        clang.arguments = ["clang", "-O1", "-shared", "-fPIC", "-o", library.path, code.path]
        try clang.run()
        clang.waitUntilExit()
        guard clang.terminationStatus == 0 else {
            throw FanfareProcess.Failure("clang, which comes with Swift, did not compile \(code.path)")
        }
        return library.path
    }
}
