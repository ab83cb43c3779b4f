import Campaigns
import Fleet

/// One thing that was looked at, and what is to be done about it.
struct Finding: Sendable, Equatable {
    /// How bad it is.
    enum Verdict: String, Sendable {
        /// As it should be.
        case well
        /// It works now, and will not always.
        case warning
        /// Pushes are not sent, or not all of them.
        case wrong
        /// It could not be looked at.
        case unknown
    }

    /// What was looked at, for example `broker clock`.
    let check: String
    let verdict: Verdict
    /// What was found.
    let detail: String
    /// What to do about it; nil where there is nothing to do.
    let fix: String?

    /// As it should be.
    static func well(_ check: String, _ detail: String) -> Finding {
        Finding(check: check, verdict: .well, detail: detail, fix: nil)
    }

    /// Something for a person.
    static func wrong(_ check: String, _ detail: String, fix: String) -> Finding {
        Finding(check: check, verdict: .wrong, detail: detail, fix: fix)
    }

    /// Something for a person who has the time.
    static func warning(_ check: String, _ detail: String, fix: String) -> Finding {
        Finding(check: check, verdict: .warning, detail: detail, fix: fix)
    }

    /// What could not be looked at, because something else is wrong.
    static func unknown(_ check: String, _ detail: String) -> Finding {
        Finding(check: check, verdict: .unknown, detail: detail, fix: nil)
    }

    /// For scripts.
    var json: JSONValue {
        .object([
            "check": .string(check), "verdict": .string(verdict.rawValue), "detail": .string(detail),
            "mend": fix.map(JSONValue.string) ?? .null,
        ])
    }
}

extension [Finding] {
    /// Whether a person is needed now.
    var needsPerson: Bool { contains { $0.verdict == .wrong } }

    /// For people: a line each, the mend below what it is for.
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
