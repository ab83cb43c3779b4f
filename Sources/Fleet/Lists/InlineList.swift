import Campaigns

/// The devices of a job as a list: chunks, version, and how many of them were named twice.
struct InlineList {
    var chunks: [ListChunk]
    var version: String
    var duplicates: Int

    /// Cuts inline devices into chunks.
    ///
    /// A device that occurs twice (provider and token) is sent to once.
    init(devices: [Device]) throws {
        var builder = ListBuilder()
        var seen: Set<String> = []
        var list = ListVersion()
        chunks = []
        duplicates = 0
        for device in devices {
            guard seen.insert("\(device.provider.rawValue) \(device.token)").inserted else {
                duplicates += 1
                continue
            }
            if let chunk = builder.add(device, token: TokenBytes.raw(device)) { chunks.append(chunk) }
        }
        chunks += builder.finish()
        for chunk in chunks { try list.add(chunk) }
        version = list.text
    }
}

/// A device token as the bytes that chunks hold.
enum TokenBytes {
    /// What the hexadecimal digits stand for; the token's own characters when it is not hexadecimal.
    static func raw(_ device: Device) -> [UInt8] {
        let digits = Array(device.token.utf8)
        guard digits.count.isMultiple(of: 2) else { return digits }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return digits }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
