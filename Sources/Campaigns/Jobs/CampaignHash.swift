/// A 64-bit hash of a campaign's key, for request ids and default collapse ids.
///
/// FNV-1a, mixed, over `app`, a zero byte (which neither name can contain) and `id`. It is an identifier, not a
/// protection.
public struct CampaignHash: Hashable, Sendable {
    /// The bits.
    public let bits: UInt64

    /// Hashes a campaign's key; the result is the same on every machine and in every version.
    public init(app: String, id: String) {
        var key = FNV1a(app.utf8)
        key.take(0)
        for byte in id.utf8 { key.take(byte) }
        bits = key.mixed
    }
}
