/// One header field and how HPACK may treat it.
public struct HeaderField: Sendable, Equatable {
    /// How HPACK may treat a field (RFC 7541 section 6.2).
    public enum Indexing: Sendable {
        /// Goes into the compression table: for values that many requests share.
        case indexed
        /// The name goes into the table with the connection's first request, the value never again: for values
        /// that change from request to request.
        case nameOnly
        /// A never-indexed literal: for secrets.
        case never
    }

    /// Lower case, as HTTP/2 demands.
    public let name: [UInt8]
    /// The value's bytes.
    public let value: [UInt8]
    /// How HPACK may treat it.
    public let indexing: Indexing

    /// A field from bytes; `name` must be lower case.
    public init(name: [UInt8], value: [UInt8], indexing: Indexing = .indexed) {
        self.name = name
        self.value = value
        self.indexing = indexing
    }

    /// A field from text; `name` must be lower case.
    public init(_ name: String, _ value: String, indexing: Indexing = .indexed) {
        self.init(name: Array(name.utf8), value: Array(value.utf8), indexing: indexing)
    }
}
