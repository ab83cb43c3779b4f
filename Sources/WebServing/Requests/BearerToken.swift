/// The credential of the field `authorization`.
package enum BearerToken {
    /// Returns the token of a field `Bearer TOKEN` (RFC 6750, section 2.1).
    package static func read(_ field: String?) -> String? {
        guard let field else { return nil }
        let usual = "Bearer "
        if field.hasPrefix(usual), !field.utf8.dropFirst(usual.utf8.count).contains(UInt8(ascii: " ")) {
            return field.utf8.count > usual.utf8.count ? String(field.dropFirst(usual.utf8.count)) : nil
        }
        let words = field.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }
}
