/// Conversion between hexadecimal digits and bytes.
public enum Hexadecimal {
    /// The entry of a character that is not a digit; every digit's value is below 16.
    private static let noDigit: UInt8 = 0xFF
    /// The value of each character as a digit.
    ///
    /// Random digits and letters are a branch that no processor predicts; looked up, a token takes a third of the time.
    private static let values: [UInt8] = (UInt8.min...UInt8.max).map { digit in
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: noDigit
        }
    }

    /// Returns the bytes; nil for an odd number of digits or for a character that is not a digit (of either case).
    public static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
        digits.withContiguousStorageIfAvailable { bytes(contiguous: $0) }
            ?? Array(digits).withUnsafeBufferPointer { bytes(contiguous: $0) }
    }

    /// Returns true if every character is a digit, of either case.
    public static func areDigits(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        values.withUnsafeBufferPointer { values in text.reduce(0) { $0 | values[Int($1)] } } < 16
    }

    /// Returns lower-case digits.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            for nibble in [byte >> 4, byte & 15] { digits.append(nibble < 10 ? nibble + 0x30 : nibble + 0x57) }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func bytes(contiguous digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        // All values together, so that one comparison at the end tells of any character that was not a digit.
        var met: UInt8 = 0
        let bytes = values.withUnsafeBufferPointer { values in
            [UInt8](unsafeUninitializedCapacity: digits.count / 2) { room, count in
                for index in 0..<digits.count / 2 {
                    let (high, low) = (values[Int(digits[2 * index])], values[Int(digits[2 * index + 1])])
                    met |= high | low
                    room.initializeElement(at: index, to: high << 4 | low)
                }
                count = digits.count / 2
            }
        }
        return met < 16 ? bytes : nil
    }
}
