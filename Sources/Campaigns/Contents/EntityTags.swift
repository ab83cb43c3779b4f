/// The field `If-None-Match` (RFC 9110, section 13.1.2).
public enum EntityTags {
    /// Returns true if a field names a tag or is `*`; weak and strong tags compare alike there.
    ///
    /// - Parameters:
    ///   - field: The field's value; nil when there is none.
    ///   - tag: The tag with its quotation marks.
    public static func names(_ field: String?, _ tag: String) -> Bool {
        guard let field else { return false }
        return field.split(separator: ",").contains { entry in
            let text = entry.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
            let name = String(text)
            return name == "*" || name == tag || name == "W/" + tag
        }
    }
}
