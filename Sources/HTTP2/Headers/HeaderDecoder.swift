import CNGHTTP2

/// Decodes the header blocks of one connection's answers with nghttp2's HPACK decoder.
struct HeaderDecoder: ~Copyable {
    /// One step through a block.
    enum Step {
        /// A field; its bytes are valid until the next call.
        case field(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
        /// The fragment is used up; the block continues in another.
        case needsMore
        /// The block is complete.
        case complete
    }

    private let pointer: OpaquePointer

    init() throws(HTTP2Error) {
        var made: OpaquePointer?
        guard nghttp2_hd_inflate_new(&made) == 0, let made else {
            throw HTTP2Error(.internalFailure, "HTTP/2: out of memory")
        }
        pointer = made
    }

    deinit { nghttp2_hd_inflate_del(pointer) }

    /// Decodes the next field from the front of a fragment; `isLast` means that no fragment of the block follows.
    ///
    /// After a throw the connection's table is unknown, which ends the connection.
    func next(_ fragment: inout UnsafeRawBufferPointer, isLast: Bool) throws(HTTP2Error) -> Step {
        while true {
            var pair = nghttp2_nv()
            var flags: Int32 = 0
            let used = nghttp2_hd_inflate_hd2(
                pointer,
                &pair,
                &flags,
                fragment.baseAddress?.assumingMemoryBound(to: UInt8.self),
                fragment.count,
                isLast ? 1 : 0
            )
            guard used >= 0 else { throw HTTP2Error.from(used, doing: "a header block") }
            fragment = UnsafeRawBufferPointer(rebasing: fragment[used...])
            if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                return .field(
                    name: UnsafeRawBufferPointer(start: pair.name, count: pair.namelen),
                    value: UnsafeRawBufferPointer(start: pair.value, count: pair.valuelen)
                )
            }
            if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
                nghttp2_hd_inflate_end_headers(pointer)
                return .complete
            }
            if fragment.isEmpty { return .needsMore }
        }
    }
}
