import Campaigns
import Fleet

/// The parameters of a request's query; each route says which it takes, and others are refused.
struct Query: Sendable {
    private let pairs: [(name: String, value: String)]

    init(_ pairs: [(name: String, value: String)] = []) {
        self.pairs = pairs
    }

    /// Throws 400 when there is a parameter of another name, or one twice that may be there once.
    func allow(_ names: [String], repeated: [String] = []) throws(HTTPProblem) {
        for (name, _) in pairs {
            guard names.contains(name) || repeated.contains(name) else {
                throw HTTPProblem(
                    ProblemDocument(
                        .usage,
                        title: "The query cannot be used",
                        errors: [
                            Problem(
                                pointer: "",
                                code: .unknownField,
                                detail: "there is no parameter \(NameRule.shown(name))",
                                fix: (names + repeated).isEmpty
                                    ? "leave it out" : "there are \((names + repeated).joined(separator: ", "))"
                            )
                        ]
                    )
                )
            }
        }
        for name in names where all(name).count > 1 {
            throw HTTPProblem(.usage, "the parameter \(name) is there twice")
        }
    }

    subscript(name: String) -> String? { all(name).first }

    func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// A whole number within a range; throws 400.
    func number(_ name: String, in range: ClosedRange<Int>, default value: Int) throws(HTTPProblem) -> Int {
        guard let text = self[name] else { return value }
        guard let number = Int(text), range.contains(number) else {
            throw HTTPProblem(.usage, "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// `true` or `false`; throws 400.
    func flag(_ name: String) throws(HTTPProblem) -> Bool {
        switch self[name] {
        case nil, "false": false
        case "true": true
        default: throw HTTPProblem(.usage, "\(name) is true or false")
        }
    }

    /// An app's name; throws 400.
    func app() throws(HTTPProblem) -> String? {
        guard let app = self["app"] else { return nil }
        guard NameRule.isApp(app) else {
            throw HTTPProblem(.usage, "app is 1 to 128 of the characters A-Z a-z 0-9 . _ -")
        }
        return app
    }
}
