/// HPACK's integers and literals (RFC 7541 sections 5 and 6); strings are never Huffman-coded.
///
/// Huffman coding would save a fifth of a request's bytes and cost more CPU than all of its encryption.
enum HPACKBytes {
    /// The treatment of a literal by the peer's table (RFC 7541 section 6.2).
    enum Literal {
        case incrementalIndexing
        case withoutIndexing
        case neverIndexed

        fileprivate var pattern: UInt8 {
            switch self {
            case .incrementalIndexing: 0x40
            case .withoutIndexing: 0x00
            case .neverIndexed: 0x10
            }
        }

        fileprivate var prefixBits: Int { self == .incrementalIndexing ? 6 : 4 }
    }

    /// The most bytes of an integer: a first byte and 63 bits, seven per byte.
    static let integerBytesMax = 10

    /// Writes an integer (section 5.1) and returns the bytes written, at most ``integerBytesMax``.
    static func write(
        _ value: Int,
        prefixBits: Int,
        pattern: UInt8 = 0,
        to bytes: UnsafeMutableRawPointer
    ) -> Int {
        let limit = (1 << prefixBits) - 1
        guard value >= limit else {
            bytes.storeBytes(of: pattern | UInt8(value), as: UInt8.self)
            return 1
        }
        bytes.storeBytes(of: pattern | UInt8(limit), as: UInt8.self)
        var rest = value - limit
        var count = 1
        while rest >= 128 {
            bytes.storeBytes(of: UInt8(rest & 0x7F) | 0x80, toByteOffset: count, as: UInt8.self)
            rest >>= 7
            count += 1
        }
        bytes.storeBytes(of: UInt8(rest), toByteOffset: count, as: UInt8.self)
        return count + 1
    }

    /// Writes a string (section 5.2) and returns the bytes written.
    static func write(_ string: UnsafeRawBufferPointer, to bytes: UnsafeMutableRawPointer) -> Int {
        let length = HPACKBytes.write(string.count, prefixBits: 7, to: bytes)
        if let base = string.baseAddress { (bytes + length).copyMemory(from: base, byteCount: string.count) }
        return length + string.count
    }

    /// Appends an indexed field (section 6.1).
    static func appendIndexed(_ index: Int, to bytes: inout [UInt8]) {
        HPACKBytes.append(index, prefixBits: 7, pattern: 0x80, to: &bytes)
    }

    /// Appends a table size update (section 6.3).
    static func appendTableSize(_ size: Int, to bytes: inout [UInt8]) {
        HPACKBytes.append(size, prefixBits: 5, pattern: 0x20, to: &bytes)
    }

    /// Appends a literal's first half: its treatment, and its name by index or in full.
    static func appendName(_ name: [UInt8], index: Int?, _ literal: Literal, to bytes: inout [UInt8]) {
        HPACKBytes.append(index ?? 0, prefixBits: literal.prefixBits, pattern: literal.pattern, to: &bytes)
        if index == nil { HPACKBytes.appendString(name, to: &bytes) }
    }

    /// Appends a string.
    static func appendString(_ string: [UInt8], to bytes: inout [UInt8]) {
        HPACKBytes.append(string.count, prefixBits: 7, pattern: 0, to: &bytes)
        bytes += string
    }

    private static func append(_ value: Int, prefixBits: Int, pattern: UInt8, to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(byteCount: HPACKBytes.integerBytesMax, alignment: 1) { room in
            guard let base = room.baseAddress else { return }
            let count = HPACKBytes.write(value, prefixBits: prefixBits, pattern: pattern, to: base)
            bytes += UnsafeRawBufferPointer(rebasing: room[..<count])
        }
    }
}
