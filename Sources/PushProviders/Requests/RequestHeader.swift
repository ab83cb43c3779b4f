/// One header field of a prepared request.
///
/// Pseudo-header fields come first (RFC 9113, 8.3).
public struct RequestHeader: Equatable, Sendable {
    /// The name in lower case.
    public var name: [UInt8]
    /// The value, or its source for each device.
    public var value: Value
    /// The use of HPACK's table.
    public var indexing: Indexing

    /// The source of a value.
    public enum Value: Equatable, Sendable {
        /// The same for all devices of the shard.
        case constant([UInt8])
        /// The path at the end of `PreparedRequests.template`, and the token's digits.
        case path
        /// The bytes of `PreparedRequests.idRange`.
        case id
        /// The token at the end of a device's request (`PreparedRequests.TokenPosition.field`).
        case token
    }

    /// The treatment of a field in the connection's HPACK table (RFC 7541).
    public enum Indexing: Sendable {
        /// Into the table: many requests have the same value.
        case indexed
        /// A literal without indexing: the value never repeats and is not secret.
        case literal
        /// A never-indexed literal: the value is secret.
        case never
        /// Into the table with a connection's first request, so that later ones refer to the name by one byte; from
        /// then on like `literal`.
        ///
        /// Apple asks for this: the values change too often to deserve an entry in the table. An encoder that cannot
        /// detect a connection's first request may treat the field as `literal`, which costs the name's bytes with each
        /// request.
        case neverAfterFirst
    }

    /// Creates a field.
    public init(_ name: String, _ value: Value, _ indexing: Indexing) {
        self.name = Array(name.utf8)
        self.value = value
        self.indexing = indexing
    }

    /// Creates a field with a constant text.
    public init(_ name: String, _ text: String, _ indexing: Indexing = .indexed) {
        self.init(name, .constant(Array(text.utf8)), indexing)
    }
}
