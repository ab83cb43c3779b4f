import Foundation
import Testing

/// `PhoneSystems.md` names existing paths and tests.
@Suite struct PhoneSystemsPageTests {
    /// A line of its tables.
    struct Row {
        let what: String
        let location: String
        let test: String
        let verdict: String

        init?(_ line: Substring) {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 6, !cells[1].isEmpty, cells[1] != "what it does", !cells[1].hasPrefix("---") else {
                return nil
            }
            (what, location, test, verdict) = (cells[1], cells[2], cells[3], cells[4])
        }

        /// Returns the problems of the row.
        func problems(paths: Set<String>, tests: [String: [NamedTest]]) -> [String] {
            var problems: [String] = []
            if !["works", "partly: ", "not yet: ", "not here: "].contains(where: { verdict.hasPrefix($0) }) {
                problems.append("\(what): \"\(verdict)\" is no verdict")
            }
            let isOpen = verdict.hasPrefix("not ")
            if location.isEmpty ? !isOpen : !paths.contains(location.trimmingCharacters(in: ["`"])) {
                problems.append("\(what): there is no \(location)")
            }
            if test.isEmpty {
                if !isOpen { problems.append("\(what): no test") }
            } else if let named = test.wholeMatch(of: /`(\w+)`: (.+)/) {
                let known = tests[String(named.1)] ?? []
                if !known.contains(where: { $0.name == named.2 }) { problems.append("\(what): no test \(test)") }
            } else {
                problems.append("\(what): \(test) names no test")
            }
            return problems
        }
    }

    @Test func `every row works and names its place and its test, or says why it does not`() throws {
        let tree = try SourceTree.repository.get()
        let page = try tree.text(of: "Sources/Fleet/Documentation.docc/PhoneSystems.md")
        let rows = page.split(separator: "\n").compactMap { Row($0) }
        #expect(rows.count > 140)
        let (paths, tests) = (Set(tree.paths), FaultPages.tests(tree.files))
        let problems = rows.flatMap { $0.problems(paths: paths, tests: tests) }
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    @Test
    func `each test of the kit that a row names has the edge's own rules before it, or is named as the phone's alone`()
        throws
    {
        let tree = try SourceTree.repository.get()
        let page = try tree.text(of: "Sources/Fleet/Documentation.docc/PhoneSystems.md")
        let sections = page.components(separatedBy: "## What is played on the phone alone")
        try #require(sections.count == 2)
        let named = sections[1].matches(of: #/\n- `(\w+)`: /#).map { String($0.1) }
        let suites = Set(sections[0].matches(of: #/\| `(\w+)`: /#).map { String($0.1) })
        let alone = suites.filter { suite in
            let file = tree.files.first { $0.target == "FanfareKitTests" && $0.path.hasSuffix("/\(suite).swift") }
            return file.map { $0.lines(of: "PhoneRig").isEmpty && $0.lines(of: "Peer").isEmpty } ?? false
        }
        #expect(named == alone.sorted())
    }

    @Test(arguments: [
        ("| a | `Sources/A` | `ATests`: a works | works |", true), ("| a | | | not here: gone |", true),
        ("| a | `Sources/A` | | not yet: nobody did it |", true), ("| a | `Sources/A` | | works |", false),
        ("| a | `Sources/B` | `ATests`: a works | works |", false),
        ("| a | `Sources/A` | `ATests`: a worked | works |", false),
        ("| a | `Sources/A` | `ATests`: a works | sometimes |", false), ("| a | | `ATests`: a works | works |", false),
        ("| a | `Sources/A` | somebody tried | works |", false),
    ])
    func `a row that names nothing is found`(line: String, isGood: Bool) throws {
        let file = SourceFile(path: "Tests/EndToEndTests/ATests.swift", text: "@Test func `a works`() {\n")
        let row = try #require(Row(line[...]))
        #expect(row.problems(paths: ["Sources/A"], tests: FaultPages.tests([file])).isEmpty == isGood)
    }
}
