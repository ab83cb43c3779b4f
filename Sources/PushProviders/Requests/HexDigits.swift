/// Hexadecimal digits in lower case.
enum HexDigits {
    /// Returns the digit of the low four bits.
    @inline(__always)
    static func digit(_ nibble: UInt8) -> UInt8 {
        let value = nibble & 15
        return value < 10 ? value + 0x30 : value + 0x57
    }

    /// Returns the digits of the low `bits` bits, the highest first; `bits` is a multiple of four.
    static func digits(of value: UInt64, bits: Int) -> [UInt8] {
        stride(from: bits - 4, through: 0, by: -4).map { digit(UInt8(truncatingIfNeeded: value >> UInt64($0))) }
    }

    /// Writes the digits of `bytes` to `target`, which has room for twice as many.
    @inline(__always)
    static func write(_ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
        var position = 0
        while position + 4 <= bytes.count {
            write(
                UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)),
                to: target + 2 * position
            )
            position += 4
        }
        while position < bytes.count {
            target.storeBytes(of: digit(bytes[position] >> 4), toByteOffset: 2 * position, as: UInt8.self)
            target.storeBytes(of: digit(bytes[position]), toByteOffset: 2 * position + 1, as: UInt8.self)
            position += 1
        }
    }

    /// Writes the eight digits of `value` to `target`, all at once, one in each byte of a register.
    @inline(__always)
    static func write(_ value: UInt32, to target: UnsafeMutableRawPointer) {
        var nibbles = UInt64(value)
        nibbles = (nibbles << 16 | nibbles) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles << 8 | nibbles) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles << 4 | nibbles) & 0x0F0F_0F0F_0F0F_0F0F
        // A one in each byte whose digit is a letter: values of 10 and more reach 16 with 6 added.
        let letters = (nibbles + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        let digits = nibbles + 0x3030_3030_3030_3030 + letters * 0x27
        target.storeBytes(of: digits.bigEndian, as: UInt64.self)
    }
}
