/// A value for a placeholder.
///
/// An absent value keeps its kind: PostgreSQL needs the type of each placeholder before it sees a value.
enum SQLValue {
    /// The type of a placeholder.
    enum Kind {
        case integer, text, blob
    }

    case null(Kind)
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    var kind: Kind {
        switch self {
        case .null(let kind): kind
        case .integer: .integer
        case .text: .text
        case .blob: .blob
        }
    }

    static func int(_ value: some BinaryInteger) -> SQLValue { .integer(Int64(value)) }

    static func int(_ value: (some BinaryInteger)?) -> SQLValue { value.map { .integer(Int64($0)) } ?? .null(.integer) }

    static func bool(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }

    static func text(_ value: String?) -> SQLValue { value.map { .text($0) } ?? .null(.text) }

    static func blob(_ value: [UInt8]?) -> SQLValue { value.map { .blob($0) } ?? .null(.blob) }
}
