extension Rule {
    /// Question words make a reader guess what is described.
    private static let questionWords: Set<Substring> = [
        "What", "Whether", "Who", "Whom", "Whose", "Where", "When", "Which", "How", "Why",
    ]

    /// A documentation comment begins with a noun or a verb.
    static let summaries = Rule("a summary begins with a noun or a verb") { file in
        guard file.isHandwrittenSwift else { return [] }
        var found: [Violation] = []
        var isInside = false
        for (index, line) in file.lines.enumerated() {
            let text = line.drop { $0 == " " }
            defer { isInside = text.hasPrefix("///") }
            guard text.hasPrefix("///"), !isInside else { continue }
            let word = text.dropFirst(3).drop { $0 == " " }.prefix { $0.isLetter }
            guard questionWords.contains(word) else { continue }
            found.append(Violation(path: file.path, line: index + 1, what: "a summary begins with \(word)"))
        }
        return found
    }

    /// The formatter keeps code to 120 columns, and leaves comments alone.
    static let commentWidth = Rule("comments keep to 120 columns") { file in
        guard file.isHandwrittenSwift else { return [] }
        return file.lines.enumerated().compactMap { index, line in
            guard line.drop(while: { $0 == " " }).hasPrefix("//"), line.count > 120 else { return nil }
            return Violation(path: file.path, line: index + 1, what: "a comment of \(line.count) columns")
        }
    }
}
