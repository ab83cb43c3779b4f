/// The part of a header block that many requests share, made once (per shard, not per device).
///
/// Immutable, so loops may share it. Only `:path` and one more field (`perRequestName`, usually `apns-id`) change from
/// request to request. ``RequestEncoder`` computes the encoded bytes once per connection, because they depend on the
/// connection's table.
public final class PreparedHeaders: Sendable {
    /// The fields before `:path`.
    let front: [HeaderField]
    /// The fields between `:path` and the per-request field.
    let rest: [HeaderField]
    /// The name of the last field, whose value each request sets; nil when there is none.
    let perRequestName: [UInt8]?

    /// Prepares a block; all names must be lower case.
    ///
    /// - Parameters:
    ///   - authority: the host, with the port when it is not 443.
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
        front = [
            HeaderField(":method", method), HeaderField(":scheme", scheme), HeaderField(":authority", authority),
        ]
        rest = fields
        self.perRequestName = perRequestName.map { Array($0.utf8) }
    }
}
