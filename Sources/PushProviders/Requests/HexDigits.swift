/// Hexadecimal digits in lower case.
enum HexDigits {
    /// The digit of the low four bits.
    @inline(__always)
    static func digit(_ nibble: UInt8) -> UInt8 {
        let value = nibble & 15
        return value < 10 ? value + 0x30 : value + 0x57
    }

    /// The digits of the low `bits` bits, the highest first; `bits` is a multiple of four.
    static func digits(of value: UInt64, bits: Int) -> [UInt8] {
        stride(from: bits - 4, through: 0, by: -4).map { digit(UInt8(truncatingIfNeeded: value >> UInt64($0))) }
    }
}
