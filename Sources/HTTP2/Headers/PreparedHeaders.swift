import CNGHTTP2

// Safety: the memory behind the pointers is written in init only and freed in deinit; sessions keep the object
// alive as long as nghttp2 may read it.
/// The part of a header block that many requests share, prepared once (per shard, not per device).
///
/// Immutable, so it may be shared by loops. Only `:path` and one more field (`perRequestName`, usually `apns-id`)
/// change from request to request.
public final class PreparedHeaders: @unchecked Sendable {
    /// Name/value pairs for a connection's first request: `nameOnly` fields are indexed.
    let first: UnsafeMutableBufferPointer<nghttp2_nv>
    /// Name/value pairs for all later requests: `nameOnly` fields are never indexed.
    let later: UnsafeMutableBufferPointer<nghttp2_nv>
    /// Where `:path` goes.
    static let pathIndex = 3
    /// Where the per-request field goes: the last place, or nil when there is none.
    let perRequestIndex: Int?

    private let bytes: UnsafeMutableBufferPointer<UInt8>

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
        var all = [
            HeaderField(":method", method), HeaderField(":scheme", scheme), HeaderField(":authority", authority),
            // HPACK never indexes :path in nghttp2 whatever is asked.
            HeaderField(":path", ""),
        ]
        all += fields
        self.perRequestIndex = perRequestName == nil ? nil : all.count
        if let perRequestName { all.append(HeaderField(perRequestName, "", indexing: .nameOnly)) }

        self.bytes = .allocate(capacity: all.reduce(1) { $0 + $1.name.count + $1.value.count })
        self.first = .allocate(capacity: all.count)
        self.later = .allocate(capacity: all.count)
        self.bytes.initialize(repeating: 0)
        var cursor = 0
        for (index, field) in all.enumerated() {
            let name = PreparedHeaders.append(field.name, to: self.bytes, at: &cursor)
            let value = PreparedHeaders.append(field.value, to: self.bytes, at: &cursor)
            for (table, isFirst) in [(self.first, true), (self.later, false)] {
                table.initializeElement(
                    at: index,
                    to: nghttp2_nv(
                        name: name,
                        value: value,
                        namelen: field.name.count,
                        valuelen: field.value.count,
                        flags: PreparedHeaders.flags(field.indexing, isFirst: isFirst)
                    )
                )
            }
        }
    }

    deinit {
        self.first.deallocate()
        self.later.deallocate()
        self.bytes.deallocate()
    }

    private static func append(
        _ part: [UInt8],
        to bytes: UnsafeMutableBufferPointer<UInt8>,
        at cursor: inout Int
    ) -> UnsafeMutablePointer<UInt8>? {
        let start = cursor
        for byte in part {
            bytes[cursor] = byte
            cursor += 1
        }
        return bytes.baseAddress.map { $0 + start }
    }

    private static func flags(_ indexing: HeaderField.Indexing, isFirst: Bool) -> UInt8 {
        let noCopy = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
        let isLiteral = indexing == .never || (indexing == .nameOnly && !isFirst)
        return UInt8(noCopy | (isLiteral ? NGHTTP2_NV_FLAG_NO_INDEX.rawValue : 0))
    }
}
