import Campaigns
import HummingbirdCore
import WebServing

/// The members of a small JSON body; everything that is wrong with them is told at once, with pointers.
struct BodyMembers {
    private let members: [JSONMember]
    private var problems: [Problem] = []

    /// Reads a body that may have these members, and no others; throws as `BodyReader.value(_:upTo:)`.
    init(_ request: Request, _ names: [String]) async throws {
        guard case .object(let members) = try await BodyReader.value(request) else {
            throw HTTPProblem(.usage, "the body must be an object")
        }
        self.members = members
        for member in members where !names.contains(member.name) {
            let detail = "there is no member \(NameRule.shown(member.name))"
            refuse(member.name, .unknownField, detail, "there are \(names.joined(separator: ", "))")
        }
    }

    /// The number of members.
    var count: Int { members.count }

    /// Returns a member's value.
    subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    /// Returns a text; nil when it is missing or was refused.
    mutating func text(_ name: String) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else {
            refuse(name, .type, "\(name) must be a string, not \(value.typeName)", "give a text, or leave it out")
            return nil
        }
        // No name here has control characters, and a database may refuse them.
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            let detail = text.isEmpty ? "\(name) is empty" : "\(name) has control characters"
            refuse(name, text.isEmpty ? .empty : .value, detail, "give a text, or leave it out")
            return nil
        }
        return text
    }

    /// Returns a value made of a text; nil when it is missing or was refused, with `fix` as its remedy.
    mutating func value<Value>(_ name: String, _ fix: String, _ make: (String) -> Value?) -> Value? {
        guard let text = text(name) else { return nil }
        if let value = make(text) { return value }
        refuse(name, .value, "\(name) cannot be \(NameRule.shown(text))", fix)
        return nil
    }

    /// Adds a problem of a member, or of the body if there is no name.
    mutating func refuse(_ name: String?, _ code: ProblemCode, _ detail: String, _ fix: String) {
        let pointer = name.map { JSONPointer.root.appending($0).text } ?? ""
        problems.append(Problem(pointer: pointer, code: code, detail: detail, fix: fix))
    }

    /// Adds problems that were found elsewhere.
    mutating func refuse(_ more: [Problem]) { problems += more }

    /// Throws 400 with all problems, if there are some.
    func check(_ title: String) throws(HTTPProblem) {
        guard problems.isEmpty else { throw HTTPProblem(ProblemDocument(.usage, title: title, errors: problems)) }
    }
}
