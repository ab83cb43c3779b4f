import Foundation
import Testing

/// The kit's pages for users of another SDK name existing symbols.
@Suite struct MigrationPageTests {
    private static let catalogue = "Sources/FanfareKit/FanfareKit.docc/"

    /// A line of their tables.
    struct Row {
        let theirs: String
        let ours: String
        let remark: String

        init?(_ line: Substring) {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, cells[1] != "there", !cells[1].hasPrefix("---") else { return nil }
            (theirs, ours, remark) = (cells[1], cells[2], cells[3])
        }

        /// The other SDK's names, each of which has one row of a page; a row without code is itself a name.
        var names: [String] {
            let spans = theirs.matches(of: /`([^`]+)`/).map { String($0.1) }
            return spans.isEmpty ? [theirs] : spans
        }

        /// Returns the problems of the row.
        func problems(_ symbols: Set<String>) -> [String] {
            if theirs.isEmpty { return ["a row without a name"] }
            if ours == "—" { return remark.isEmpty ? ["\(theirs): neither a symbol nor a reason"] : [] }
            let spans = ours.split(separator: ", ")
            let symbolsHere = spans.compactMap { $0.wholeMatch(of: /`([^`]+)`/).map { String($0.1) } }
            guard symbolsHere.count == spans.count, !spans.isEmpty else {
                return ["\(theirs): \"\(ours)\" is no symbol"]
            }
            return symbolsHere.filter { !symbols.contains($0) }.map { "\(theirs): there is no \($0)" }
        }
    }

    private static func kit() throws -> Set<String> {
        let files = try SourceTree.repository.get().files
        return DeclaredSymbols(files.filter { $0.target == "FanfareKit" && $0.top == "Sources" }).names
    }

    private static func names(in rows: [Row]) -> [String: Int] {
        Dictionary(rows.flatMap(\.names).map { ($0, 1) }, uniquingKeysWith: +)
    }

    @Test(arguments: [("Reach", 90), ("NotificationHubs", 45), ("Braze", 150), ("AdobeCampaign", 35)])
    func `each call of an SDK has one row, with symbols that the kit declares or the reason why it has none`(
        system: String,
        rowsMin: Int
    ) throws {
        let page = try SourceTree.repository.get().text(of: "\(Self.catalogue)MigratingFrom\(system).md")
        let rows = page.split(separator: "\n").compactMap { Row($0) }
        #expect(rows.count >= rowsMin)
        let symbols = try Self.kit()
        var problems = rows.flatMap { $0.problems(symbols) }
        // A payload's key may have the name of a call: they are under two headings.
        for section in page.split(separator: "\n## ") {
            let rows = section.split(separator: "\n").compactMap { Row($0) }
            problems += Self.names(in: rows).filter { $0.value > 1 }.map { "\($0.key): more than one row" }
        }
        #expect(problems.isEmpty, "\(problems.sorted().joined(separator: "\n"))")
    }

    @Test func `the page that leads to them names every one`() throws {
        let tree = try SourceTree.repository.get()
        let pages = tree.paths.filter { $0.hasPrefix("\(Self.catalogue)MigratingFrom") }
            .map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent }
        #expect(pages.count == 4)
        for index in ["Migrating.md", "FanfareKit.md"] {
            let text = try tree.text(of: Self.catalogue + index)
            for page in pages { #expect(text.contains("<doc:\(page)>"), "\(index): \(page)") }
        }
    }

    @Test(arguments: [
        ("| `a()` | `Kit.start(key:)` | |", true), ("| `a()` | `Kit.start(key:)`, `Kit.State.on` | so |", true),
        ("| `a()` | — | nothing is needed |", true), ("| `a()` | — | |", false), ("| `a()` | `Kit.start()` | |", false),
        ("| `a()` | `Kit.hidden` | |", false), ("| `a()` | `Kit.local` | |", false),
        ("| `a()` | some call | |", false), ("| | `Kit` | |", false), ("| `a()` | | so |", false),
    ])
    func `a row that names nothing is found`(line: String, isGood: Bool) throws {
        let kit = SourceFile(
            path: "Sources/Kit/Kit.swift",
            text: """
                public import Foundation
                public final class Kit: Sendable {
                    let hidden = 1
                    // public let comment = 1
                    public func start(key: String, _ done: (Int, Int) -> Int = { _, _ in 1 }) { let local = 1 }
                    public enum State: String { case off, on = "yes"; var word: String { rawValue } }
                }
                public protocol Teller { func tell(_ what: Kit.State, from: Kit) }
                extension Kit.State { public static let all: [Self] = [] }
                public struct Box<Value> { public init?(_ value: Value) {} }
                """
        )
        let short = SourceFile(
            path: "Sources/Kit/B.swift",
            text: "extension Kit { public static func start(key: Int) {} }"
        )
        let symbols = DeclaredSymbols([kit, short]).names
        #expect(
            symbols == [
                "Kit", "Kit.start(key:)", "Kit.start(key:_:)", "Kit.State", "Kit.State.on", "Kit.State.off",
                "Kit.State.all", "Teller", "Teller.tell(_:from:)", "Box", "Box.init(_:)",
            ]
        )
        let row = try #require(Row(line[...]))
        #expect(row.problems(symbols).isEmpty == isGood)
    }
}
