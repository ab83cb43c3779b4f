import Delivery
import Foundation
import Testing

/// Runbook.md has a section for each alert and each code, and each section is followed by a test or says why not.
@Suite struct RunbookPageTests {
    private static let root = #filePath.replacing("/Tests/DeliveryTests/Health/RunbookPageTests.swift", with: "")

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
    }

    /// The page's sections by their headings, chapter by chapter.
    private struct Page {
        let alerts: [String: String]
        let reasons: [String: String]
        /// The rows of the two tables: a code and the heading that it leads to.
        let problems: [String: String]
        let stateCodes: [String: String]

        init() throws {
            let text = try RunbookPageTests.text("Sources/Fleet/Documentation.docc/Runbook.md")
            let chapters = text.components(separatedBy: "\n## ")
            func sections(_ chapter: String) throws -> [String: String] {
                let body = try #require(chapters.first { $0.hasPrefix(chapter + "\n") })
                let parts = body.components(separatedBy: "\n### ").dropFirst().map { part in
                    (String(part.prefix { $0 != "\n" }), part)
                }
                // Two of one name would be one place for a link.
                return Dictionary(parts) { one, _ in one + "twice" }
            }
            (alerts, reasons) = (try sections("Alerts"), try sections("Reasons"))
            let tables = text.components(separatedBy: "| code in `state_codes`")
            try #require(tables.count == 2)
            (problems, stateCodes) = (Self.rows(tables[0]), Self.rows(tables[1]))
        }

        var all: [String: String] { alerts.merging(reasons) { one, _ in one } }

        private static func rows(_ text: String) -> [String: String] {
            let rows = text.matches(of: #/\n\| `(\w+)` \| \*(\w+)\* \| [^|\n]+ \|/#)
            return Dictionary(rows.map { (String($0.1), String($0.2)) }) { one, _ in one + " twice" }
        }
    }

    @Test func `each alert has a section of its name, and no section of the alerts is without one`() throws {
        let rules = try Self.text("Deploy/prometheus/alerts.yml")
        let names = rules.matches(of: #/- alert: Fanfare(\w+)/#).map { String($0.1) }
        #expect(names.count > 30)
        #expect(try Page().alerts.keys.sorted() == names.sorted())
    }

    @Test func `each code of a problem and of a campaign's state leads to a section, and none is left over`() throws {
        let page = try Page()
        let problems = HealthProblem.Code.allCases.map(\.rawValue)
        #expect(page.problems.keys.sorted() == problems.sorted())
        let fleet = HealthProblem.Code.stoppingAll.union([.queuesMissing, .noConsumer]).map(\.rawValue)
        let codes = Set(StateReason.Code.allCases.map(\.rawValue) + AsideReason.allCases.map(\.rawValue) + fleet)
        #expect(page.stateCodes.keys.sorted() == codes.sorted())
        let named = Set(page.problems.values).union(page.stateCodes.values)
        #expect(named.subtracting(page.all.keys).isEmpty)
        #expect(Set(page.reasons.keys).subtracting(named).isEmpty)
    }

    @Test func `each section says what it means, how to check it, and what to do`() throws {
        for (name, text) in try Page().all {
            let marks = ["Means", "Check", "Remedy", "Not tried"]
            let found = marks.filter { text.contains("\n**\($0)** ") }
            #expect(found.starts(with: marks.prefix(3)), "\(name) has \(found)")
            let check = try #require(text.firstRange(of: "\n**Check** "), "\(name)")
            let remedy = try #require(text.firstRange(of: "\n**Remedy** "), "\(name)")
            try #require(check.upperBound < remedy.lowerBound, "\(name)")
            let commands = text[check.upperBound..<remedy.lowerBound]
            #expect(commands.contains("\n```\n"), "the check of \(name) has no command")
        }
    }

    @Test func `each section is followed by a test, or says why its fault is not made`() throws {
        let folder = Self.root + "/Tests/EndToEndTests"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
        let tests = try files.map { try Self.text("Tests/EndToEndTests/\($0)") }.joined()
        for (name, text) in try Page().all {
            let isFollowed = tests.contains(".check(\"\(name)\"")
            #expect(isFollowed != text.contains("\n**Not tried** "), "\(name)")
        }
    }
}
