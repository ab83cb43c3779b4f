import Campaigns

/// The hash that the ledger stores instead of a dead token: FNV-1a of 128 bits over app, provider and token.
///
/// It has 128 bits because a collision would stop sends to a living device. It needs no secret because tokens are
/// random. (FNV: draft-eastlake-fnv, offset basis and prime of the 128-bit variant.)
enum TokenHash {
    /// The hash state after app and provider; the hashing of a chunk's tokens starts from it.
    static func prefix(app: String, provider: String) -> UInt128 {
        var state: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
        for byte in app.utf8 { mix(byte, &state) }
        mix(0, &state)
        for byte in provider.utf8 { mix(byte, &state) }
        mix(0, &state)
        return state
    }

    /// A token's hash.
    static func value(prefix: UInt128, token: some Sequence<UInt8>) -> UInt128 {
        var state = prefix
        for byte in token { mix(byte, &state) }
        return state
    }

    /// The 16 stored bytes, most significant first, so that they sort like the number.
    static func bytes(_ value: UInt128) -> [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: value >> (120 - UInt128($0) * 8)) }
    }

    /// The low 64 bits as a database integer, for an index of the registry whose matches are then compared in full.
    static func short(_ value: UInt128) -> Int64 { Int64(truncatingIfNeeded: value) }

    private static func mix(_ byte: UInt8, _ state: inout UInt128) {
        state = (state ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B
    }
}
