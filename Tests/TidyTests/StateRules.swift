extension Rule {
    /// Requires states, stages and reasons in statements to be written by their enum's case, so that every statement is
    /// found when the cases change.
    ///
    /// The schemas contain literals: they are migrations and never change.
    static let statesByName = Rule("no literal for a state in SQL") { file in
        guard file.path.hasPrefix("Sources/Store/"), file.isHandwrittenSwift else { return [] }
        return file.lines.enumerated().compactMap { index, line in
            guard !line.trimmingPrefix(while: \.isWhitespace).hasPrefix("//"), isLiteral(line) else { return nil }
            return Violation(path: file.path, line: index + 1, what: "a state's literal in SQL")
        }
    }

    private static func isLiteral(_ line: String) -> Bool {
        let state = /(^|[^A-Za-z0-9_])state\s*(=|<>|!=|<=|>=|<|>|(NOT\s+)?IN\s*\()\s*[0-9]/.ignoresCase()
        let word = /(^|[^A-Za-z0-9_])(stage|aside|kind|urgency)\s*(=|<>|!=|(NOT\s+)?IN\s*\()\s*'[a-z]/.ignoresCase()
        return line.contains("state") && line.contains(state) || line.contains("'") && line.contains(word)
    }
}
