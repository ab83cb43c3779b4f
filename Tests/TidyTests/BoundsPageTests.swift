import Foundation
import Testing

/// Compares the limits in `Security.md` with the code.
@Suite struct BoundsPageTests {
    /// A line of its tables.
    private struct Row {
        let number: Int
        /// The constant, for example `JSONReader.Limits.depthMax`.
        let constant: String
        let tests: String
    }

    private static func page() throws -> String {
        var folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) {
            folder.deleteLastPathComponent()
        }
        let path = folder.appendingPathComponent("Sources/Fleet/Documentation.docc/Security.md")
        return try String(contentsOf: path, encoding: .utf8)
    }

    private static func rows() throws -> [Row] {
        try page().split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, cells[2].hasPrefix("`") else { return nil }
            let digits = cells[1].prefix { $0.isNumber || $0 == "," }.filter(\.isNumber)
            let number = try #require(Int(digits), "\(line)")
            return Row(number: number, constant: cells[2].trimmingCharacters(in: ["`"]), tests: cells[3])
        }
    }

    /// Returns the value of a product, a power of two or a duration in seconds, in the forms used for bounds.
    private static func value(_ text: Substring) -> Int? {
        var text = text.trimmingCharacters(in: .whitespaces).replacing("_", with: "")
        if let call = text.firstMatch(of: /(?:\.seconds|Int64)\((.*)\)/) { text = String(call.1) }
        if let shift = text.wholeMatch(of: /(\d+) << (\d+)/), let base = Int(shift.1), let by = Int(shift.2) {
            return base << by
        }
        let factors = text.split(separator: " * ").map { Int($0) }
        return factors.reduce(Int?.some(1)) { product, factor in product.flatMap { left in factor.map { left * $0 } } }
    }

    /// Returns the value of a type's constant in the sources; it may share its line, or be an argument's default.
    private static func value(of constant: String) throws -> Int? {
        let words = constant.split(separator: ".")
        let (type, name) = (words[words.count - 2], words[words.count - 1])
        let declares = try Regex("(struct|enum|class|extension) (\\w+\\.)?\(type)\\b")
        let number = #"(?:Duration)?\.seconds\([^)\n]*\)|[\d_]+(?: (?:\*|<<) [\d_]+)*"#
        let single = try Regex<(Substring, Substring)>(#"\b\#(name)(?:: \w+)? = (\#(number))"#)
        for file in try SourceTree.repository.get().files where file.path.hasPrefix("Sources/") {
            // A regular expression over every file, for each constant, would be half of this target's time.
            guard [type, name].allSatisfy({ !file.lines(of: String($0)).isEmpty }) else { continue }
            let text = file.lines.joined(separator: "\n")
            guard text.firstMatch(of: declares) != nil else { continue }
            if let found = text.firstMatch(of: single), let bound = value(found.1) { return bound }
            for line in file.lines {
                guard let tuple = line.firstMatch(of: /static let \((.*)\) = \((.*)\)/) else { continue }
                let names = tuple.1.split(separator: ", ")
                guard let index = names.firstIndex(of: name) else { continue }
                return value(tuple.2.split(separator: ", ")[index])
            }
        }
        return nil
    }

    @Test func `every bound is the constant's`() throws {
        let rows = try Self.rows()
        #expect(rows.count > 35)
        for row in rows { #expect(try Self.value(of: row.constant) == row.number, "\(row.constant)") }
    }

    @Test func `every bound names a test that there is`() throws {
        let files = Set(try SourceTree.repository.get().files.map { URL(fileURLWithPath: $0.path).lastPathComponent })
        for row in try Self.rows() {
            let name = row.tests.trimmingCharacters(in: ["`"])
            #expect(files.contains(name + ".swift"), "\(row.constant): \(name)")
        }
    }
}
