public import Campaigns

/// A problem with the configuration or the apps.
public struct ConfigurationProblem: Sendable, Equatable {
    /// The file (with its line), the environment variable or the flag.
    public var place: String
    /// The key's path, for example `apps.news.apns.key_file`; empty for a whole file.
    public var key: String
    /// A stable code for programs.
    public var code: String
    /// A description that never contains a value that may be secret.
    public var detail: String
    /// The fix, as advice to the reader.
    public var fix: String?

    /// Creates a problem.
    public init(place: String, key: String, code: String, detail: String, fix: String? = nil) {
        self.place = place
        self.key = key
        self.code = code
        self.detail = detail
        self.fix = fix
    }

    /// One line for people: place, key, description, fix.
    public var line: String {
        [place, key].filter { !$0.isEmpty }.joined(separator: ": ") + ": " + detail + (fix.map { "; \($0)" } ?? "")
    }

    /// The problem in the form that every other answer has: the key's path as a JSON pointer.
    public var problem: Problem {
        let pointer = key.split(separator: ".").map { "/" + $0 }.joined()
        return Problem(pointer: pointer, code: code, detail: place.isEmpty ? detail : "\(place): \(detail)", fix: fix)
    }
}

/// The error of a configuration that cannot be used, with all problems at once.
public struct ConfigurationError: Error, CustomStringConvertible {
    /// The problems, at least one.
    public let problems: [ConfigurationProblem]

    /// Creates an error from problems.
    public init(_ problems: [ConfigurationProblem]) {
        precondition(!problems.isEmpty, "an error without a problem")
        self.problems = problems
    }

    /// The problems, a line each.
    public var description: String { problems.map(\.line).joined(separator: "\n") }
}
