import Campaigns
import Delivery
import Operations

/// The result of one check, with its fix.
struct Finding: Sendable, Equatable {
    /// A finding's severity.
    enum Verdict: String, Sendable {
        /// As it should be.
        case well
        /// It works now, and will not always.
        case warning
        /// Pushes are not sent, or not all of them.
        case wrong
        /// It could not be checked.
        case unknown
    }

    /// The check's name, for example `broker clock`.
    let check: String
    let verdict: Verdict
    /// The result for people.
    let detail: String
    /// The fix; nil where there is nothing to do.
    let fix: String?

    /// Makes a finding that all is well.
    static func well(_ check: String, _ detail: String) -> Finding {
        Finding(check: check, verdict: .well, detail: detail, fix: nil)
    }

    /// Makes a finding that needs a person.
    static func wrong(_ check: String, _ detail: String, fix: String) -> Finding {
        Finding(check: check, verdict: .wrong, detail: detail, fix: fix)
    }

    /// Makes a finding that a person should see to in time.
    static func warning(_ check: String, _ detail: String, fix: String) -> Finding {
        Finding(check: check, verdict: .warning, detail: detail, fix: fix)
    }

    /// Makes the finding of a check that another problem prevented.
    static func unknown(_ check: String, _ detail: String) -> Finding {
        Finding(check: check, verdict: .unknown, detail: detail, fix: nil)
    }

    /// Makes the finding of a problem that `status` tells, too.
    static func problem(_ problem: HealthProblem) -> Finding {
        problem.needsPerson
            ? .wrong(problem.subject, problem.detail, fix: problem.remedy)
            : .warning(problem.subject, problem.detail, fix: problem.remedy)
    }

    /// The finding, for scripts.
    var json: JSONValue {
        .object([
            "check": .string(check), "verdict": .string(verdict.rawValue), "detail": .string(detail),
            "mend": fix.map(JSONValue.string) ?? .null,
        ])
    }
}

extension [Finding] {
    /// True if a person is needed now.
    var needsPerson: Bool { contains { $0.verdict == .wrong } }

    /// The findings for people: a line each, with the fix below.
    var text: String {
        var table = TextTable([("", .left), ("check", .left), ("found", .left)])
        for finding in self {
            table.add([finding.verdict.mark, finding.check, finding.detail])
            if let fix = finding.fix { table.add(["", "", "→ \(fix)"]) }
        }
        return table.text
    }
}

extension Finding.Verdict {
    fileprivate var mark: String {
        switch self {
        case .well: "✓"
        case .warning: "!"
        case .wrong: "✗"
        case .unknown: "?"
        }
    }
}
