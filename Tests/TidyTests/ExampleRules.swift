extension Rule {
    /// Requires a summary for every public symbol of the kit, and an example for every call, because integrators read
    /// its doc comments.
    ///
    /// A call is code that an app writes: a function, an initialiser, a protocol that it implements. Summaries suffice
    /// for properties and cases of values that it receives. Exempt are members that a conformance requires, defaults of
    /// a delegate's functions, and overrides, which the system calls.
    static let kitExamples = Rule("the kit's calls have examples") { file in
        guard file.target == "FanfareKit", file.top == "Sources", file.isHandwrittenSwift else { return [] }
        let code = String(decoding: file.code, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return code.indices.compactMap { index in
            guard let symbol = PublicSymbol(code[index]) else { return nil }
            let comment = file.comment(above: index)
            func violation(_ what: String) -> Violation {
                Violation(path: file.path, line: index + 1, what: "\(symbol.text) has no \(what)")
            }
            if comment.isEmpty, !symbol.isExempt { return violation("summary") }
            let hasExample = comment.contains { $0.hasPrefix("///     ") }
            return symbol.isCall && !symbol.isExempt && !hasExample ? violation("example") : nil
        }
    }
}

/// A declaration that other modules see, by its line.
private struct PublicSymbol {
    let text: String
    private let keyword: String
    private let modifiers: [String]

    private static let keywords = [
        "func", "init", "var", "let", "struct", "class", "enum", "protocol", "typealias", "subscript", "actor",
    ]

    init?(_ line: String) {
        text = String(line.drop { $0 == " " })
        let words = text.split(separator: " ").filter { !$0.hasPrefix("@") }
            .map { String($0.prefix { $0.isLetter }) }
        // The first keyword: `public static func`, `public private(set) var`, `public init?(`.
        guard let position = words.firstIndex(where: Self.keywords.contains) else { return nil }
        (modifiers, keyword) = (Array(words[..<position]), words[position])
        guard modifiers.contains("public") || modifiers.contains("open") else { return nil }
    }

    var isCall: Bool { ["func", "init", "protocol", "typealias"].contains(keyword) }

    var isExempt: Bool {
        modifiers.contains("override") || ["init(rawValue", "init(from ", "encode(to "].contains { text.contains($0) }
            || text.contains("func fanfare(")
    }
}

extension SourceFile {
    /// Returns the lines of the doc comment above a line, skipping attributes in between.
    fileprivate func comment(above index: Int) -> [String] {
        var found: [String] = []
        for line in lines[..<index].reversed() {
            let text = String(line.drop { $0 == " " })
            if text.hasPrefix("///") {
                found.append(text)
            } else if !text.hasPrefix("@") || !found.isEmpty {
                break
            }
        }
        return found
    }
}
