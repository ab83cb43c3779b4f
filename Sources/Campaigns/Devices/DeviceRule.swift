/// The syntax of a device's locale and time zone.
enum DeviceRule {
    /// Returns true for letters, then parts of 1–8 letters or digits after hyphens (BCP 47, RFC 5646, section 2.1).
    static func isLocale(_ text: String) -> Bool {
        guard text.utf8.count <= 64 else { return false }
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let language = parts.first, (2...8).contains(language.count), language.allSatisfy(isLetter) else {
            return false
        }
        return parts.dropFirst().allSatisfy { part in
            (1...8).contains(part.count) && part.allSatisfy { isLetter($0) || (48...57).contains($0) }
        }
    }

    /// Returns true for the characters of the tz database's names; does not check that the zone exists.
    static func isTimeZone(_ text: String) -> Bool {
        guard (1...64).contains(text.utf8.count), let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { byte in
            NameRule.isWordByte(byte) && byte != UInt8(ascii: ".") || byte == UInt8(ascii: "/")
                || byte == UInt8(ascii: "+")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte)
    }
}
