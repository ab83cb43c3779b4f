#if os(Linux)
import Foundation
import Testing

/// The code behind `canImport`, compiled against stubs of Apple's interfaces, because no Apple system is available.
///
/// The stubs have the signatures, isolation and sendability of today's SDK. `os(…)` and versions are Linux's, so calls
/// missing on a system are found by reading (`newer calls stand behind their version`), not by the compiler.
@Suite struct AppleStubTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let stubs = root.appendingPathComponent("Tests/FanfareKitTests/AppleStubs")
    private static let kit = root.appendingPathComponent("Sources/FanfareKit")
    /// The modules in the order in which they import each other.
    private static let modules = ["UserNotifications", "UIKit", "WebKit", "SwiftUI", "ActivityKit"]
    /// The features in the kit's manifest.
    private static let features = [
        "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
        "InferIsolatedConformances", "ImmutableWeakCaptures",
    ]

    /// Compiles; returns the compiler's output, and true if it succeeded.
    private func compile(_ arguments: [String]) throws -> (isContent: Bool, says: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swiftc", "-swift-version", "6"] + arguments
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let says = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus == 0, says)
    }

    private static func files(_ folder: URL) -> [String] {
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
        return (all ?? []).filter { $0.pathExtension == "swift" }.map(\.path).sorted()
    }

    /// Builds the stub modules after applying `change` to their text.
    private func make(_ folder: URL, _ change: (String) -> String = { $0 }) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for module in Self.modules {
            var sources: [String] = []
            for file in Self.files(Self.stubs.appendingPathComponent(module)) {
                let copy = folder.appendingPathComponent("\(module)-\(URL(fileURLWithPath: file).lastPathComponent)")
                try Data(change(String(contentsOfFile: file, encoding: .utf8)).utf8).write(to: copy)
                sources.append(copy.path)
            }
            try #require(!sources.isEmpty, "there is no stub of \(module)")
            let product = folder.appendingPathComponent("\(module).swiftmodule").path
            let made = try compile(
                [
                    "-emit-module", "-parse-as-library", "-warnings-as-errors", "-module-name", module, "-I",
                    folder.path,
                    "-emit-module-path", product,
                ] + sources
            )
            try #require(made.isContent, "\(module): \(made.says)")
        }
    }

    /// Type-checks the kit with an app's own code.
    private func check(_ folder: URL, with own: String) throws -> (isContent: Bool, says: String) {
        let file = folder.appendingPathComponent("App.swift")
        try Data(own.utf8).write(to: file)
        let flags = Self.features.flatMap { ["-enable-upcoming-feature", $0] }
        return try compile(
            flags + ["-typecheck", "-parse-as-library", "-warnings-as-errors", "-module-name", "FanfareKit"]
                + ["-package-name", "fanfare", "-I", folder.path, file.path] + Self.files(Self.kit)
        )
    }

    private func within(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stubs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    /// Returns the guide's blocks that need Apple's systems, as an app contains them.
    private func guide() throws -> String {
        let page = Self.kit.appendingPathComponent("FanfareKit.docc/Integration.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
            .filter { $0.contains("import FanfareKit\n") }
        #expect(blocks.count == 4)
        let lines = blocks.joined(separator: "\n").split(separator: "\n", omittingEmptySubsequences: false)
        let imports = Set(lines.filter { $0.hasPrefix("import ") && $0 != "import FanfareKit" })
        return imports.sorted().joined(separator: "\n")
            + "\nimport Foundation\nlet groupFolder = URL(fileURLWithPath: \"/\")\n"
            + lines.filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
    }

    @Test func `what is behind canImport compiles against Apple's signatures, and so do the guide's blocks`() throws {
        try within { folder in
            try make(folder)
            let kit = try check(folder, with: guide())
            #expect(kit.isContent, "\(kit.says)")
        }
    }

    /// Changes that the kit's code does not fit, with the compiler's message: a signature and a deprecation.
    private static let changes: [(old: String, new: String, says: String)] = [
        (
            "open func registerForRemoteNotifications() {}", "open func registerForRemoteNotifications(now: Bool) {}",
            "missing argument for parameter 'now'"
        ),
        (
            "open func removeAllDelivered", "@available(*, deprecated)\n    open func removeAllDelivered",
            "'removeAllDeliveredNotifications()' is deprecated"
        ),
    ]

    @Test func `a signature or a deprecation that differs is found`() throws {
        try within { folder in
            var found = 0
            try make(folder) { text in
                Self.changes.reduce(text) { text, change in
                    found += text.components(separatedBy: change.old).count - 1
                    return text.replacingOccurrences(of: change.old, with: change.new)
                }
            }
            #expect(found == Self.changes.count)
            let kit = try check(folder, with: "")
            #expect(!kit.isContent)
            for change in Self.changes { #expect(kit.says.contains(change.says), "\(change.says)\n\(kit.says)") }
        }
    }

    @Test func `newer calls stand behind their version, and no condition names a system that Linux cannot play`() throws
    {
        let newer = try Self.modules.flatMap { module in
            try Self.files(Self.stubs.appendingPathComponent(module)).flatMap { file in
                Self.newer(try String(contentsOfFile: file, encoding: .utf8))
            }
        }
        #expect(Set(newer) == ["setBadgeCount", "ViewThatFits"])
        for file in Self.files(Self.kit) {
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(!text.contains("#if os(iOS)") && !text.contains("applicationIconBadgeNumber"), "\(file)")
            let lines = text.components(separatedBy: "\n")
            for (index, line) in lines.enumerated() where newer.contains(where: { line.contains($0 + "(") }) {
                // At most two lines above: nothing else fits in between.
                let above = lines[max(0, index - 2)...index]
                #expect(above.contains { $0.contains("#available(iOS 16") }, "\(file): \(line)")
            }
        }
    }

    /// Returns the names of a stub that are newer than iOS 15, by their attributes.
    private static func newer(_ text: String) -> [String] {
        let lines = text.components(separatedBy: "\n")
        return lines.indices.filter { lines[$0].contains("@available(iOS 16") }.compactMap { index in
            let declaration = lines[index...].first { $0.contains(" func ") || $0.contains(" struct ") }
            let words = declaration?.split { !$0.isLetter && !$0.isNumber }.map(String.init) ?? []
            return words.firstIndex { $0 == "func" || $0 == "struct" }.map { words[$0 + 1] }
        }
    }
}
#endif
