/// Numbers in headers.
enum DecimalDigits {
    /// Parses a number of digits only, up to 18 of them.
    static func value(_ text: ArraySlice<UInt8>) -> Int64? {
        guard !text.isEmpty, text.count <= 18 else { return nil }
        var number: Int64 = 0
        for byte in text {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            number = number * 10 + Int64(byte - 0x30)
        }
        return number
    }
}
