/// The 64-bit hash FNV-1a: short, the same everywhere and in every version, and no protection.
@frozen public struct FNV1a {
    /// The hash of the bytes so far.
    public var bits: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Hashes bytes.
    @inlinable public init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { take(byte) }
    }

    /// Adds a byte.
    @inlinable public mutating func take(_ byte: UInt8) {
        bits = (bits ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }

    /// The hash with MurmurHash3's finalizer: FNV alone mixes its last bytes badly, and neighboring texts differ there.
    public var mixed: UInt64 {
        var hash = bits
        hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
        hash = (hash ^ (hash >> 33)) &* 0xc4ce_b9fe_1a85_ec53
        return hash ^ (hash >> 33)
    }
}
