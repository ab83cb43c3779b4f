/// A provider's own reason, made safe for a ledger and a terminal.
enum ReasonText {
    /// The number of characters kept.
    static let scalarsMax = 64

    /// Returns the text with control and format characters escaped, at most 64 characters; ill-formed UTF-8 becomes
    /// U+FFFD.
    static func sanitized(_ bytes: [UInt8]) -> String {
        var result = ""
        var count = 0
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            let shown = isShown(scalar) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
            count += shown.unicodeScalars.count
            guard count <= scalarsMax else { break }
            result += shown
        }
        return result
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7f }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return false
        default: return true
        }
    }
}
