/// The encoding of 16-bit columns, least significant byte first.
enum LittleEndian16 {
    /// The code for a missing value.
    static let absent: UInt16 = 0xFFFF

    static func bytes(_ values: [UInt16]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(values.count * 2)
        for value in values {
            result.append(UInt8(truncatingIfNeeded: value))
            result.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        return result
    }

    static func values(_ bytes: [UInt8]) throws(ShardError) -> [UInt16] {
        guard bytes.count.isMultiple(of: 2) else { throw .malformed("a column of 16-bit numbers has an odd length") }
        return stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
    }
}
