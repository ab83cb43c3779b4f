import Campaigns

extension Rows {
    func time(_ column: StaticString) -> Timestamp { Timestamp(milliseconds: int64(column)) }

    func optionalTime(_ column: StaticString) -> Timestamp? {
        optionalInt64(column).map { Timestamp(milliseconds: $0) }
    }

    func optionalUInt32(_ column: StaticString) -> UInt32? {
        optionalInt64(column).map { UInt32(truncatingIfNeeded: $0) }
    }

    func provider(_ column: StaticString) -> ProviderName { ProviderName(rawValue: text(column)) }

    /// The case of a column's name; nil for NULL and for a case of a later version.
    func value<Case: RawRepresentable>(_ column: StaticString) -> Case? where Case.RawValue == String {
        optionalText(column).flatMap { Case(rawValue: $0) }
    }

    /// The case of a column's number; nil for NULL and for a case of a later version.
    func value<Case: RawRepresentable>(_ column: StaticString) -> Case? where Case.RawValue == UInt8 {
        optionalInt64(column).flatMap { Case(rawValue: UInt8(truncatingIfNeeded: $0)) }
    }

    /// The words of a comma-separated column.
    func words(_ column: StaticString) -> [String] {
        text(column).split(separator: ",").map(String.init)
    }

    /// The positions in a chunk that a column holds; empty for the whole chunk.
    func positions(_ column: StaticString) -> [UInt16] {
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
