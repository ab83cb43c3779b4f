/// The collapse id of a campaign that names none: a repeated send after a crash replaces the first notification.
public enum DefaultCollapseID {
    /// Returns 11 characters of base64url from the campaign's hash, the same on every worker and in every version.
    public static func make(app: String, id: String) -> String {
        let bits = CampaignHash(app: app, id: id).bits
        // 64 bits are ten digits of six bits and one of four.
        let digits = (0..<11).map { digit in
            alphabet[Int(digit < 10 ? bits >> (58 - 6 * UInt64(digit)) & 63 : bits << 2 & 63)]
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
