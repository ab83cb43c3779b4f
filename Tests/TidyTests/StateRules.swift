extension Rule {
    /// Requires states in statements to be written by their enum's case, so that every statement is found when the
    /// states change.
    ///
    /// Schemas contain numbers: they are migrations and never change.
    static let statesByName = Rule("no number for a state in SQL") { file in
        guard file.path.hasPrefix("Sources/Store/"), file.isHandwrittenSwift,
            file.components.last?.contains("Schema") == false
        else { return [] }
        return file.lines.enumerated().compactMap { index, line in
            guard !line.trimmingPrefix(while: \.isWhitespace).hasPrefix("//"), isNumbered(line) else { return nil }
            return Violation(path: file.path, line: index + 1, what: "a state's number in SQL")
        }
    }

    private static func isNumbered(_ line: String) -> Bool {
        guard line.contains("state") else { return false }
        let isState = /(^|[^A-Za-z0-9_])state\s*(=|<>|!=|<=|>=|<|>|(NOT\s+)?IN\s*\()\s*[0-9]/.ignoresCase()
        return line.contains(isState)
    }
}
