package import Campaigns

/// A problem with the configuration or the apps.
package struct ConfigurationProblem: Sendable, Equatable {
    /// The file (with its line), the environment variable or the flag.
    package var location: String
    /// The key's path, for example `apps.news.apns.key_file`; empty for a whole file.
    package var key: String
    /// A stable code for programs.
    package var code: String
    /// A description that never contains a value that may be secret.
    package var detail: String
    /// The fix, as advice to the reader.
    package var fix: String?

    /// Creates a problem.
    package init(location: String, key: String, code: String, detail: String, fix: String? = nil) {
        self.location = location
        self.key = key
        self.code = code
        self.detail = detail
        self.fix = fix
    }

    /// One line for people: location, key, description, fix.
    package var line: String {
        [location, key].filter { !$0.isEmpty }.joined(separator: ": ") + ": " + detail + (fix.map { "; \($0)" } ?? "")
    }

    /// The problem in the form that every other answer has: the key's path as a JSON pointer.
    package var problem: Problem {
        let pointer = key.split(separator: ".").map { "/" + $0 }.joined()
        return Problem(
            pointer: pointer,
            code: code,
            detail: location.isEmpty ? detail : "\(location): \(detail)",
            fix: fix
        )
    }
}

/// The error of a configuration that cannot be used, with all problems at once.
package struct ConfigurationError: Error, CustomStringConvertible {
    /// The problems, at least one.
    package let problems: [ConfigurationProblem]

    /// Creates an error from problems.
    package init(_ problems: [ConfigurationProblem]) {
        precondition(!problems.isEmpty, "an error without a problem")
        self.problems = problems
    }

    /// The problems, a line each.
    package var description: String { problems.map(\.line).joined(separator: "\n") }
}
