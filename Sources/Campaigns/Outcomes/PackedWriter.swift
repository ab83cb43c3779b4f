/// Writes the packed forms of the ledger and of batches: numbers of seven bits per byte, lowest first (LEB128), and
/// texts with their length.
struct PackedWriter {
    var bytes: [UInt8] = []

    mutating func number(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func text(_ value: String) {
        number(UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }
}
