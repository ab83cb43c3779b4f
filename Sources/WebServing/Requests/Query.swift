import Campaigns

/// The parameters of a request's query; each route names those that it takes, and others are refused.
package struct Query: Sendable {
    private let pairs: [(name: String, value: String)]

    /// Takes the decoded pairs in their order.
    package init(_ pairs: [(name: String, value: String)] = []) {
        self.pairs = pairs
    }

    /// Throws 400 for a parameter of another name, or for a repeated one not in `repeated`.
    package func allow(_ names: [String], repeated: [String] = []) throws(HTTPProblem) {
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
            throw HTTPProblem(.usage, "the parameter \(name) occurs twice")
        }
    }

    /// The first value of a parameter.
    package subscript(name: String) -> String? { all(name).first }

    /// Returns all values of a parameter.
    package func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// Returns a whole number within a range; throws 400.
    package func number(_ name: String, in range: ClosedRange<Int>, default value: Int) throws(HTTPProblem) -> Int {
        guard let text = self[name] else { return value }
        guard let number = Int(text), range.contains(number) else {
            throw HTTPProblem(.usage, "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns the value of `true` or `false`; throws 400.
    package func flag(_ name: String) throws(HTTPProblem) -> Bool {
        switch self[name] {
        case nil, "false": false
        case "true": true
        default: throw HTTPProblem(.usage, "\(name) is true or false")
        }
    }

    /// Returns an app's name; throws 400.
    package func app() throws(HTTPProblem) -> String? {
        guard let app = self["app"] else { return nil }
        guard NameRule.isApp(app) else {
            throw HTTPProblem(.usage, "app is 1 to 128 of the characters A-Z a-z 0-9 . _ -")
        }
        return app
    }
}
