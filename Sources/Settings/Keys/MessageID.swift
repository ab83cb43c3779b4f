import Campaigns
import PushProviders
import TLS

/// A push's signed message id, `m` (contract, section 5), from which the edge reads the campaign and the device.
///
/// It is 16 bytes in base64url: the campaign's number and the device's index in it, four bytes each with the most
/// significant first, then the first eight bytes of an HMAC-SHA256. The HMAC is over the app's name in UTF-8, both
/// numbers in that form, and the key's epoch in four bytes likewise. The numbers have a fixed length and come last, so
/// no two inputs are alike.
package struct MessageID: Hashable, Sendable {
    /// The campaign's number in the ledger.
    package let campaign: UInt32
    /// The device's index in the campaign, the same over all attempts.
    package let device: UInt32

    /// Reads an id; nil unless one of the app's keys signed it.
    ///
    /// Compares in constant time. A pure function, for any thread.
    package init?(_ text: some Collection<UInt8>, app: String, keys: MessageKeys) {
        guard text.count == MessageIDPlaceholder.byteCount, let bytes = Base64URL.decode(Array(text)) else {
            return nil
        }
        let campaign = bytes[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
        let device = bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
        let isSigned = keys.all.reduce(false) { isSigned, key in
            let code = MessageIDSigner(app: app, campaign: campaign, key: key).codes(of: [device])[0]
            let given = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
            return (code ^ given) == 0 || isSigned
        }
        guard isSigned else { return nil }
        self.campaign = campaign
        self.device = device
    }

    /// Returns the ids of some devices of a campaign, in their order, as pushes carry them.
    ///
    /// A pure function, for any thread.
    package static func signed(campaign: UInt32, devices: [UInt32], app: String, keys: MessageKeys) -> [String] {
        let signer = MessageIDSigner(app: app, campaign: campaign, keys: keys)
        return zip(devices, signer.codes(of: devices)).map { device, code in
            var text = MessageIDPlaceholder.blank
            text.withUnsafeMutableBytes { signer.write(device: device, code: code, into: $0) }
            return String(decoding: text, as: UTF8.self)
        }
    }
}

/// Signs and writes the message ids of a campaign's devices; made once for a shard.
///
/// The codes of a whole shard are made together, which costs a fraction of making each alone; writing allocates
/// nothing. May be used from any thread.
package final class MessageIDSigner: Sendable {
    private let campaign: UInt32
    private let epoch: UInt32
    private let code: HMACSHA256

    /// Prepares the ids of a campaign.
    package convenience init(app: String, campaign: UInt32, keys: MessageKeys) {
        self.init(app: app, campaign: campaign, key: keys.signing)
    }

    fileprivate init(app: String, campaign: UInt32, key: MessageKeys.Key) {
        self.campaign = campaign
        epoch = key.epoch
        let number = withUnsafeBytes(of: campaign.bigEndian, Array.init)
        code = HMACSHA256(key: key.secret, beginning: Array(app.utf8) + number)
    }

    /// Returns the first eight bytes of each device's HMAC as a number.
    package func codes(of devices: [UInt32]) -> [UInt64] {
        let rests = devices.map { (UInt64($0) << 32 | UInt64(epoch)).bigEndian }
        return [UInt64](unsafeUninitializedCapacity: devices.count) { codes, count in
            count = devices.count
            codes.initialize(repeating: 0)
            let wanted = UnsafeMutableBufferPointer(rebasing: codes[..<count])
            rests.withUnsafeBytes { code.shortCodes($0, restBytes: MemoryLayout<UInt64>.size, into: wanted) }
        }
    }

    /// Writes the 22 characters of a device's id with its code; traps if `buffer` has no room for them.
    package func write(device: UInt32, code: UInt64, into buffer: UnsafeMutableRawBufferPointer) {
        precondition(buffer.count >= MessageIDPlaceholder.byteCount, "a message id does not fit \(buffer.count) bytes")
        let numbers = UInt64(campaign) << 32 | UInt64(device)
        // 128 bits are 21 characters of six bits, and one that begins with the last two (RFC 4648, 4).
        for index in 0..<10 { buffer[index] = Self.character(numbers >> UInt64(58 - 6 * index)) }
        buffer[10] = Self.character(numbers << 2 | code >> 62)
        for index in 0..<10 { buffer[11 + index] = Self.character(code >> UInt64(56 - 6 * index)) }
        buffer[21] = Self.character(code << 4)
    }

    /// A literal's bytes, so that no device pays for a lazy global or a bounds check.
    private static var alphabet: StaticString { "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" }

    @inline(__always)
    private static func character(_ bits: UInt64) -> UInt8 { alphabet.utf8Start[Int(bits & 63)] }
}
