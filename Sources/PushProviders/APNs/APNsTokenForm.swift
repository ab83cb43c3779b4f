import Campaigns

/// Apple's device tokens: hexadecimal digits, in lower case here.
///
/// They become part of a path, so nothing but digits may pass.
struct APNsTokenForm: TokenForm {
    /// Apple does not fix the length; tokens have 64 digits today, and 200 are accepted here.
    static let digits = 64...200

    var provider: ProviderName { .apns }
    var rule: String { "an APNs token is 64 to 200 hexadecimal digits, an even number of them" }
    var isHexadecimal: Bool { true }
    var environments: [PushEnvironment] { PushEnvironment.apple }

    func token(_ text: UnsafeBufferPointer<UInt8>) -> TokenReading? {
        guard Self.digits.contains(text.count), text.count.isMultiple(of: 2), Hexadecimal.areDigits(text) else {
            return nil
        }
        let digits = String(unsafeUninitializedCapacity: text.count) { room in
            // Bit 5 makes a letter lower case; digits have it already.
            for (index, digit) in text.enumerated() { room[index] = digit | 0x20 }
            return text.count
        }
        return TokenReading(text: digits)
    }

    func fix(for text: String) -> String? {
        let digits = text.utf8.lazy.filter(Self.isDigit).count
        if text.utf8.first == UInt8(ascii: "<") || text.utf8.contains(UInt8(ascii: " ")), digits >= 64 {
            return "leave out the spaces and angle brackets"
        }
        if digits == text.utf8.count { return "it has \(digits) digits" }
        return text.utf8.contains(UInt8(ascii: ":")) ? "this looks like a token of FCM: say \"provider\": \"fcm\"" : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...70, 97...102: true
        default: false
        }
    }
}
