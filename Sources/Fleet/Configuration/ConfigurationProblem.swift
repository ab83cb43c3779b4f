public import Campaigns

/// One thing that is wrong with the configuration or the apps.
public struct ConfigurationProblem: Sendable, Equatable {
    /// The file (with its line), the environment variable or the flag.
    public var place: String
    /// The key's path, for example `apps.news.apns.key_file`; empty for a whole file.
    public var key: String
    /// Stable, for programs.
    public var code: String
    /// What is wrong; never a value that may be secret.
    public var detail: String
    /// How to mend it.
    public var fix: String?

    /// A problem at a place.
    public init(place: String, key: String, code: String, detail: String, fix: String? = nil) {
        self.place = place
        self.key = key
        self.code = code
        self.detail = detail
        self.fix = fix
    }

    /// One line for people: where, which key, what, how to mend.
    public var line: String {
        [place, key].filter { !$0.isEmpty }.joined(separator: ": ") + ": " + detail + (fix.map { "; \($0)" } ?? "")
    }

    /// The same in the form of every other answer: the key's path as a JSON pointer.
    public var problem: Problem {
        let pointer = key.split(separator: ".").map { "/" + $0 }.joined()
        return Problem(pointer: pointer, code: code, detail: place.isEmpty ? detail : "\(place): \(detail)", fix: fix)
    }
}

/// The configuration cannot be used; all problems at once.
public struct ConfigurationError: Error, CustomStringConvertible {
    /// At least one.
    public let problems: [ConfigurationProblem]

    /// An error of these problems.
    public init(_ problems: [ConfigurationProblem]) {
        precondition(!problems.isEmpty, "an error without a problem")
        self.problems = problems
    }

    /// The problems, a line each.
    public var description: String { problems.map(\.line).joined(separator: "\n") }
}
