/// The part of a header block that many requests share, made once (per shard, not per device).
///
/// Immutable, so it may be shared by loops. Only `:path` and one more field (`perRequestName`, usually `apns-id`)
/// change from request to request. What goes over the wire for it is worked out once per connection
/// (``RequestEncoder``), because that depends on the connection's table.
public final class PreparedHeaders: Sendable {
    /// What goes before `:path`.
    let front: [HeaderField]
    /// What goes between `:path` and the per-request field.
    let rest: [HeaderField]
    /// The name of the last field, whose value is the request's; nil when there is none.
    let perRequestName: [UInt8]?

    /// Prepares a block; all names must be lower case.
    ///
    /// - Parameters:
    ///   - authority: host, with the port when it is not 443.
    ///   - fields: everything that does not change between requests, without pseudo header fields.
    ///   - perRequestName: the name of the field that each request sets itself; its value is never indexed after a
    ///     connection's first request.
    public init(
        method: String = "POST",
        scheme: String = "https",
        authority: String,
        fields: [HeaderField],
        perRequestName: String?
    ) {
        self.front = [
            HeaderField(":method", method), HeaderField(":scheme", scheme), HeaderField(":authority", authority),
        ]
        self.rest = fields
        self.perRequestName = perRequestName.map { Array($0.utf8) }
    }
}
