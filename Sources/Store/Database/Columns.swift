import Campaigns

extension Rows {
    func time(_ column: Int32) -> Timestamp { Timestamp(milliseconds: int64(column)) }

    func optionalTime(_ column: Int32) -> Timestamp? {
        optionalInt64(column).map { Timestamp(milliseconds: $0) }
    }

    /// The words of a comma-separated column.
    func words(_ column: Int32) -> [String] {
        text(column).split(separator: ",").map(String.init)
    }

    /// The positions in a chunk that a column holds; empty for the whole chunk.
    func positions(_ column: Int32) -> [UInt16] {
        let bytes = blob(column)
        return stride(from: 0, to: bytes.count & ~1, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
    }
}

extension SQLValue {
    static func time(_ value: Timestamp) -> SQLValue { .integer(value.milliseconds) }

    static func time(_ value: Timestamp?) -> SQLValue { value.map { .integer($0.milliseconds) } ?? .null(.integer) }

    /// The positions as two bytes each, least significant byte first; NULL for none.
    static func positions(_ values: [UInt16]) -> SQLValue {
        guard !values.isEmpty else { return .null(.blob) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(values.count * 2)
        for value in values {
            bytes.append(UInt8(truncatingIfNeeded: value))
            bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        return .blob(bytes)
    }
}
