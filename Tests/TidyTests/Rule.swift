/// A location that breaks a rule.
struct Violation: CustomStringConvertible, Equatable {
    let path: String
    /// The line, counted from 1; 0 is the path itself.
    let line: Int
    let what: String

    var description: String { line == 0 ? "\(path): \(what)" : "\(path):\(line): \(what)" }
}

/// A rule that can be checked on a single file.
struct Rule: CustomStringConvertible, Sendable {
    let name: String
    let check: @Sendable (SourceFile) -> [Violation]

    init(_ name: String, check: @escaping @Sendable (SourceFile) -> [Violation]) {
        self.name = name
        self.check = check
    }

    var description: String { name }

    /// All rules that check one file at a time.
    static let all: [Rule] = [
        .imports, .purity, .fileSize, .functionSize, .leftoverMarks, .forcedTry, .uncheckedSendable, .sleepsInTests,
        .names, .providerSwitches, .kitExamples, .drivers, .statesByName, .summaries, .commentWidth,
    ]
}
