import Campaigns

/// Apple's channel ids as tokens: Base64 of a length that Apple does not fix.
///
/// An id becomes a header's value, so nothing but its alphabet may pass. No device may give one: a job names a channel,
/// and the ledger knows the id.
struct ChannelIDForm: TokenForm {
    /// A bound of ours on an id whose length is Apple's.
    static let bytesMax = 1024

    var provider: ProviderName { .broadcast }
    var rule: String { "a channel's id is Base64 with padding, as Apple gives it" }
    var isHexadecimal: Bool { false }
    var isOfDevices: Bool { false }
    var environments: [PushEnvironment] { PushEnvironment.apple }

    func token(_ text: UnsafeBufferPointer<UInt8>) -> TokenReading? {
        guard (1...Self.bytesMax).contains(text.count), text.count.isMultiple(of: 4) else { return nil }
        var digits = text[...]
        for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        guard !digits.isEmpty, digits.allSatisfy(Self.isDigit) else { return nil }
        return TokenReading(text: String(decoding: text, as: UTF8.self))
    }

    func fix(for text: String) -> String? {
        text.utf8.contains(UInt8(ascii: "-")) || text.utf8.contains(UInt8(ascii: "_"))
            ? "Apple's ids have + and /, not - and _" : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "+"), UInt8(ascii: "/"): true
        default: false
        }
    }
}
