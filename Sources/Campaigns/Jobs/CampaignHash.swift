/// A 64-bit hash of a campaign's key, for request ids and default collapse ids.
///
/// FNV-1a over `app`, a zero byte (which neither name can contain) and `id`, with MurmurHash3's finalizer, because FNV
/// alone mixes its last bytes badly and neighboring ids differ there. It is an identifier, not a protection.
public struct CampaignHash: Hashable, Sendable {
    /// The bits.
    public let bits: UInt64

    /// Hashes a campaign's key; the result is the same on every machine and in every version.
    public init(app: String, id: String) {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func take(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        for byte in app.utf8 { take(byte) }
        take(0)
        for byte in id.utf8 { take(byte) }
        hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
        hash = (hash ^ (hash >> 33)) &* 0xc4ce_b9fe_1a85_ec53
        bits = hash ^ (hash >> 33)
    }
}
