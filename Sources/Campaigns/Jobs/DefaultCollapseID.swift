/// The collapse id of a campaign that names none: a repeat after a crash then replaces instead of stacking.
public enum DefaultCollapseID {
    /// 11 characters of base64url: a 64-bit hash of (app, id), the same on every worker and in every version.
    public static func make(app: String, id: String) -> String {
        // FNV-1a over both names with a byte between them that neither can have, then the finalizer of MurmurHash3,
        // because FNV mixes its last bytes badly and ids differ there.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        for byte in app.utf8 { mix(byte) }
        mix(0)
        for byte in id.utf8 { mix(byte) }
        hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
        hash ^= hash >> 33
        // 64 bits are ten digits of six bits and one of four.
        let digits = (0..<11).map { digit in
            alphabet[Int(digit < 10 ? hash >> (58 - 6 * UInt64(digit)) & 63 : hash << 2 & 63)]
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
