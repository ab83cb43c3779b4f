import Foundation
import Testing

/// The commands of a section of Runbook.md, line by line as they stand there.
struct RunbookSection {
    /// The commands below **Check**.
    let check: [String]
    /// The commands below **Remedy**; none where there is nothing to type.
    let remedy: [String]

    /// Reads a section of the page.
    init(_ name: String) throws {
        let path = #filePath.replacing(
            "Tests/EndToEndTests/RunbookSection.swift",
            with: "Sources/Fleet/Documentation.docc/Runbook.md"
        )
        let page = try String(contentsOfFile: path, encoding: .utf8)
        let sections = page.replacing("\n## ", with: "\n### ").components(separatedBy: "\n### ")
        let text = try #require(sections.first { $0.hasPrefix(name + "\n") }, "Runbook.md has no section \(name)")
        let parts = text.components(separatedBy: "\n**Remedy** ")
        try #require(parts.count == 2, "\(name) has one remedy")
        (check, remedy) = (Self.commands(parts[0]), Self.commands(parts[1]))
    }

    private static func commands(_ text: String) -> [String] {
        text.components(separatedBy: "\n```").enumerated().flatMap { index, block in
            index % 2 == 1 ? block.split(separator: "\n").map(String.init) : []
        }
    }
}
