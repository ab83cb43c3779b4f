/// Base64 with padding (RFC 4648, section 4), the encoding of bytes in data pushes.
public enum Base64Text {
    /// Returns true if a text is valid, as is the empty one.
    public static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count.isMultiple(of: 4) else { return false }
        let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2, padding < max(bytes.count, 1) else { return false }
        let digits = bytes.dropLast(padding)
        guard digits.allSatisfy({ digit($0) != nil }) else { return false }
        // Bits after the last whole byte must be zero.
        guard padding > 0, let last = digits.last.flatMap(digit) else { return true }
        return last & (padding == 1 ? 0b11 : 0b1111) == 0
    }

    /// Returns the bytes of a text; nil if it is not valid.
    public static func decode(_ text: String) -> [UInt8]? {
        guard isValid(text) else { return nil }
        var (bytes, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        bytes.reserveCapacity(text.utf8.count / 4 * 3)
        for value in text.utf8.lazy.compactMap(digit) {
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
