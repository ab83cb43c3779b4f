import Campaigns

/// FCM's registration tokens: texts that Google calls opaque.
///
/// They become part of a JSON string, so no character may pass that needs an escape there.
struct FCMTokenForm: TokenForm {
    /// The accepted lengths: about 160 characters today, but Google promises no length.
    static let lengths = 16...1024

    var provider: ProviderName { .fcm }
    var rule: String { "an FCM token is 16 to 1024 of the characters A-Z a-z 0-9 _ - : ." }
    var isHexadecimal: Bool { false }
    var environments: [PushEnvironment] { [] }

    func token(_ text: UnsafeBufferPointer<UInt8>) -> TokenReading? {
        guard Self.lengths.contains(text.count), text.allSatisfy(Self.isCharacter) else { return nil }
        return TokenReading(text: String(decoding: text, as: UTF8.self))
    }

    func fix(for text: String) -> String? {
        if text.utf8.contains(UInt8(ascii: " ")) { return "leave out the spaces" }
        return text.utf8.count < Self.lengths.lowerBound ? "it has \(text.utf8.count) characters" : nil
    }

    private static func isCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "."): true
        default: false
        }
    }
}
