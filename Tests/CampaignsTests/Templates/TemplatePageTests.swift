import Foundation
import Testing

@testable import Campaigns

/// The documentation page, compared with the program.
struct TemplatePageTests {
    private static let variables = [
        "first": "Ana", "full": "ana maría LÓPEZ", "points": "120", "price": "1.15", "html": "<b>A & B</b>",
        "at": "2026-11-20T20:05:00+01:00",
    ]

    private func page() throws -> String {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "Sources/Fleet/Documentation.docc/Templates.md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Returns example and result of every row of a table.
    private func examples() throws -> [(source: String, result: String)] {
        try page().split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| `") else { return nil }
            let cells = line.replacingOccurrences(of: "\\|", with: "\u{1}").split(separator: "|")
                .map { $0.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: "\u{1}", with: "|") }
            guard cells.count >= 2, let result = cells.last, let source = cells.dropLast().last else { return nil }
            let bare = source.trimmingCharacters(in: CharacterSet(charactersIn: "`"))
            guard bare.hasPrefix("{") else { return nil }
            return (bare, result.trimmingCharacters(in: CharacterSet(charactersIn: "`")))
        }
    }

    @Test func `every example of the page gives what it says`() throws {
        let examples = try examples()
        #expect(examples.count >= 25)
        for (source, result) in examples {
            #expect(try Rendering.text(source, Self.variables) == result, "\(source)")
        }
    }

    @Test func `every filter has an example on the page`() throws {
        let sources = try examples().map(\.source)
        for filter in TemplateFilter.allCases {
            #expect(sources.contains { $0.contains("| \(filter.name)") }, "\(filter.name)")
        }
    }
}
