import Campaigns
package import HTTPTypes

/// The id of a request, which its answer repeats: the client's own, or a generated one.
package enum RequestID {
    private static let name = HTTPField.Name("X-Request-ID")

    /// Returns the client's own id of a request if it is short and plain, otherwise a generated one.
    package static func id(of fields: HTTPFields) -> String { id(given: name.flatMap { fields[$0] }) }

    /// Returns the id by the one that the client gave.
    package static func id(given: String?) -> String {
        if let given, NameRule.isID(given) { return given }
        return String(UInt64.random(in: 0 ... .max), radix: 16)
    }

    /// Adds the field with an id.
    package static func set(_ id: String, in fields: inout HTTPFields) {
        if let name { fields[name] = id }
    }
}
