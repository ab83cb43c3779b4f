/// Walks an encoded AMQP field table before librabbitmq decodes it.
///
/// `amqp_decode_table` calls itself for nested tables and lists without a limit: a frame of 128 KiB can nest 20,000
/// of them and overflow the stack of an event loop. This walk has a limit and needs no memory.
struct FieldTableGuard {
    /// The deepest nesting that is accepted; `x-death` needs two.
    static let depthLimit = 16

    private let bytes: UnsafeRawBufferPointer
    private var offset: Int

    /// Checks the table that begins with its length at `offset`; returns the offset of its end.
    static func check(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(AMQPError) -> Int {
        var walk = FieldTableGuard(bytes: bytes, offset: offset)
        try walk.table(within: bytes.count, depth: 0)
        return walk.offset
    }

    private mutating func take(_ count: Int, within end: Int) throws(AMQPError) -> Int {
        guard count >= 0, end - offset >= count else { throw .malformed("a field table that ends too early") }
        defer { offset += count }
        return offset
    }

    private mutating func length(within end: Int) throws(AMQPError) -> Int {
        let at = try take(4, within: end)
        return (0..<4).reduce(0) { $0 << 8 | Int(bytes[at + $1]) }
    }

    private mutating func table(within end: Int, depth: Int) throws(AMQPError) {
        guard depth <= Self.depthLimit else {
            throw .malformed("field tables nested more than \(Self.depthLimit) deep")
        }
        let size = try length(within: end)
        guard end - offset >= size else { throw .malformed("a field table that ends too early") }
        let tableEnd = offset + size
        while offset < tableEnd {
            let nameLength = Int(bytes[try take(1, within: tableEnd)])
            _ = try take(nameLength, within: tableEnd)
            try value(within: tableEnd, depth: depth)
        }
    }

    private mutating func list(within end: Int, depth: Int) throws(AMQPError) {
        guard depth <= Self.depthLimit else { throw .malformed("field lists nested more than \(Self.depthLimit) deep") }
        let size = try length(within: end)
        guard end - offset >= size else { throw .malformed("a field list that ends too early") }
        let listEnd = offset + size
        while offset < listEnd { try value(within: listEnd, depth: depth) }
    }

    private mutating func value(within end: Int, depth: Int) throws(AMQPError) {
        let kind = bytes[try take(1, within: end)]
        switch kind {
        case UInt8(ascii: "V"): break
        case UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "B"): _ = try take(1, within: end)
        case UInt8(ascii: "s"), UInt8(ascii: "u"): _ = try take(2, within: end)
        case UInt8(ascii: "I"), UInt8(ascii: "i"), UInt8(ascii: "f"): _ = try take(4, within: end)
        case UInt8(ascii: "D"): _ = try take(5, within: end)
        case UInt8(ascii: "l"), UInt8(ascii: "L"), UInt8(ascii: "d"), UInt8(ascii: "T"): _ = try take(8, within: end)
        case UInt8(ascii: "S"), UInt8(ascii: "x"):
            let size = try length(within: end)
            _ = try take(size, within: end)
        case UInt8(ascii: "F"): try table(within: end, depth: depth + 1)
        case UInt8(ascii: "A"): try list(within: end, depth: depth + 1)
        default: throw .malformed("a field of unknown type \(kind)")
        }
    }
}
