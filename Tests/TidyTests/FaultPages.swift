/// The page that describes a fault's effect, each row with the tests that show it.
enum FaultPages {
    static let paths = ["Sources/Fleet/Documentation.docc/Faults.md"]

    /// Returns the rows of a page that name no test, or a missing one.
    static func violations(_ page: String, path: String, tests: [String: [NamedTest]]) -> [Violation] {
        page.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
            guard let row = FaultRow(line) else { return [Violation]() }
            return row.problems(tests).map { Violation(path: path, line: index + 1, what: "\(row.name): \($0)") }
        }
    }

    /// Returns the tests of the tree by their file's name, without its extension.
    static func tests(_ files: [SourceFile]) -> [String: [NamedTest]] {
        let found = files.filter { $0.top == "Tests" && $0.isHandwrittenSwift }.map { file in
            (String(file.components.last?.dropLast(".swift".count) ?? ""), NamedTest.all(in: file))
        }
        return Dictionary(found) { $0 + $1 }
    }
}

/// A test as a row names it.
struct NamedTest: Equatable {
    let name: String
    /// True if only the full suite runs it.
    let isFullOnly: Bool

    /// The rows before the colon: `B4, B5: in an alarm`.
    var rows: [String] {
        let label = name.prefix { $0 != ":" }.split { $0 == "," || $0 == " " }.map(String.init).filter { $0 != "and" }
        return name.contains(":") && label.allSatisfy(FaultRow.isNumber) ? label : []
    }

    private static let fullOnly = [".enabled(if: FullSuite.isOn", ".enabled(if: PreviousBuild.isThere"]

    static func all(in file: SourceFile) -> [NamedTest] {
        func saysFullOnly(_ line: String) -> Bool { fullOnly.contains { line.contains($0) } }
        let isSuiteFullOnly = file.lines.contains { $0.contains("@Suite(") && saysFullOnly($0) }
        return file.lines.indices.compactMap { index in
            let parts = file.lines[index].split(separator: "`", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].hasSuffix("func ") else { return nil }
            // The attribute may be many lines above, but no other function is in between.
            let above = file.lines[..<index].lastIndex { $0.contains("func `") }.map { $0 + 1 } ?? 0
            let attributes = file.lines[above...index]
            guard let first = attributes.lastIndex(where: { $0.contains("@Test") }) else { return nil }
            let isFullOnly = isSuiteFullOnly || attributes[first...].contains(where: saysFullOnly)
            return NamedTest(name: String(parts[1]), isFullOnly: isFullOnly)
        }
    }
}

/// A row of a page: its numbers and its last cell.
struct FaultRow {
    let name: String
    private let proof: Substring

    init?(_ line: Substring) {
        guard line.hasPrefix("| "), line.hasSuffix("|") else { return nil }
        let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
        guard let first = cells.first, let last = cells.last, cells.count == 4 else { return nil }
        name = first.trimmed
        guard name.split(separator: ", ").allSatisfy({ Self.isNumber(String($0)) }) else { return nil }
        proof = last
    }

    /// Returns true for a row's number such as `B1` or `P24`.
    static func isNumber(_ text: String) -> Bool {
        guard let letter = text.first, "BCDP".contains(letter) else { return false }
        return text.count > 1 && text.dropFirst().allSatisfy(\.isNumber)
    }

    /// Returns the problems of a cell.
    ///
    /// A cell names tests as `File` B1 or `File` (words of the name), followed by *full* if only the full suite runs
    /// them.
    func problems(_ tests: [String: [NamedTest]]) -> [String] {
        let pieces = proof.split(separator: "`", omittingEmptySubsequences: false)
        guard pieces.count % 2 == 1 else { return ["a quotation mark is missing"] }
        if pieces.count == 1 { return proof.trimmed.hasPrefix("not run: ") ? [] : ["no test is named"] }
        return stride(from: 1, to: pieces.count, by: 2).compactMap { index in
            problem(file: String(pieces[index]), words: pieces[index + 1], tests)
        }
    }

    private func problem(file: String, words: Substring, _ tests: [String: [NamedTest]]) -> String? {
        guard let there = tests[file] else { return "there is no file \(file).swift" }
        let text = words.drop { $0 == " " }
        let (fits, rest): ((NamedTest) -> Bool, Substring)
        if text.hasPrefix("(") {
            let part = text.dropFirst().prefix { $0 != ")" }
            (fits, rest) = ({ $0.name.contains(part) }, text.dropFirst(part.count + 2))
        } else {
            let number = String(text.prefix { $0.isLetter || $0.isNumber })
            guard Self.isNumber(number) else { return "\(file) without a test's number or words of its name" }
            (fits, rest) = ({ $0.rows.contains(number) }, text.dropFirst(number.count))
        }
        let named = there.filter(fits)
        guard !named.isEmpty else { return "\(file) has no such test:\(words)" }
        let saysFull = rest.hasPrefix(" *full*")
        return named.allSatisfy { $0.isFullOnly == saysFull }
            ? nil : "\(file)\(saysFull ? " runs without the full suite" : " runs in the full suite only"):\(words)"
    }
}

extension Substring {
    /// The text without blanks at both ends.
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
