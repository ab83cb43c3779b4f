/// One header field of a prepared request.
///
/// Pseudo-header fields come first (RFC 9113, 8.3).
public struct RequestHeader: Equatable, Sendable {
    /// The name in lower case.
    public var name: [UInt8]
    /// The value, or what writes it for each device.
    public var value: Value
    /// How it is compressed.
    public var indexing: Indexing

    /// Where a value comes from.
    public enum Value: Equatable, Sendable {
        /// The same for all devices of the shard.
        case constant([UInt8])
        /// What `PreparedRequests.template` ends with, and the token's digits.
        case path
        /// `PreparedRequests.idRange`.
        case id
    }

    /// What becomes of a field in the connection's HPACK table (RFC 7541).
    public enum Indexing: Sendable {
        /// Into the table: the same for many requests.
        case indexed
        /// A literal without indexing: never the same twice, and no secret.
        case literal
        /// A never-indexed literal: a secret.
        case never
        /// Into the table with a connection's first request, so that later ones name it by a byte; from then on
        /// as `literal`. Apple asks for it: values change too often to be worth a place in the table. Who cannot tell
        /// a connection's first request may treat it as `literal`; that costs the name's bytes with each request.
        case neverAfterFirst
    }

    /// A field.
    public init(_ name: String, _ value: Value, _ indexing: Indexing) {
        self.name = Array(name.utf8)
        self.value = value
        self.indexing = indexing
    }

    /// A field with a constant text.
    public init(_ name: String, _ text: String, _ indexing: Indexing = .indexed) {
        self.init(name, .constant(Array(text.utf8)), indexing)
    }
}
