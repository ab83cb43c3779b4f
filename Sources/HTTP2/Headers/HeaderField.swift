/// One header field and its treatment by HPACK.
public struct HeaderField: Sendable, Equatable {
    /// The treatment of a field by HPACK (RFC 7541 section 6.2).
    public enum Indexing: Sendable {
        /// The field is added to the compression table: for values that many requests share.
        case indexed
        /// The name is added to the table with the connection's first request, the value never again: for values that
        /// change from request to request.
        case nameOnly
        /// The field is a never-indexed literal: for secrets.
        case never
    }

    /// The name in lower case, as HTTP/2 demands.
    public let name: [UInt8]
    /// The value's bytes.
    public let value: [UInt8]
    /// The field's treatment by HPACK.
    public let indexing: Indexing

    /// Creates a field from bytes; `name` must be lower case.
    public init(name: [UInt8], value: [UInt8], indexing: Indexing = .indexed) {
        self.name = name
        self.value = value
        self.indexing = indexing
    }

    /// Creates a field from text; `name` must be lower case.
    public init(_ name: String, _ value: String, indexing: Indexing = .indexed) {
        self.init(name: Array(name.utf8), value: Array(value.utf8), indexing: indexing)
    }
}
