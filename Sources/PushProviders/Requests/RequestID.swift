public import Campaigns

/// The id of a request: a UUIDv8 (RFC 9562, 5.8) of the campaign's hash and the device's index in the campaign.
///
/// It needs no digest per device (0.14 µs and more), and a request that is sent again keeps its id. Layout:
///
/// ```
/// custom_a (48 bits)  hash bits 63…16
/// version  (4)        8
/// custom_b (12)       hash bits 15…4
/// variant  (2)        10
/// custom_c (62)       hash bits 3…0, 26 zero bits, the index (32 bits)
/// ```
///
/// So all requests of a shard share the text except its last eight characters.
public enum RequestID {
    /// The length of the canonical text, 8-4-4-4-12.
    public static let byteCount = 36
    /// The number of characters at the end that hold the device's index.
    static let indexByteCount = 8

    /// Returns the first 28 characters: everything except the index.
    static func prefix(_ campaign: CampaignHash) -> [UInt8] {
        let first = campaign.bits >> 16
        let second = 0x8000 | (campaign.bits >> 4 & 0x0fff)
        let third = 0x8000 | (campaign.bits & 0x000f) << 10
        let digits = [(first, 48), (second, 16), (third, 16), (0, 16)].flatMap { group in
            HexDigits.digits(of: group.0, bits: group.1)
        }
        var text: [UInt8] = []
        text.reserveCapacity(28)
        for (position, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(position) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return text
    }

    /// Returns the whole id as text; on the hot path `PreparedRequests.fill` writes the index in place.
    public static func text(campaign: CampaignHash, device: UInt32) -> String {
        String(decoding: prefix(campaign) + HexDigits.digits(of: UInt64(device), bits: 32), as: UTF8.self)
    }
}
