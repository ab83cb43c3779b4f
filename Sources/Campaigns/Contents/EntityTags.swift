/// The field `If-None-Match` (RFC 9110, sections 8.8.3 and 13.1.2).
public enum EntityTags {
    /// Returns true if a field names a tag or is `*`; weak and strong tags compare alike there.
    ///
    /// - Parameters:
    ///   - field: The field's value; nil when there is none.
    ///   - tag: The tag with its quotation marks.
    public static func names(_ field: String?, _ tag: String) -> Bool {
        guard let bytes = field?.utf8 else { return false }
        if trimmed(bytes[...]).elementsEqual("*".utf8) { return true }
        // A comma within quotation marks is a tag's own. Nothing escapes a quotation mark.
        var isQuoted = false
        let entries = bytes.split { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        return entries.contains { entry in
            let name = trimmed(entry)
            return name.elementsEqual(tag.utf8) || name.elementsEqual("W/\(tag)".utf8)
        }
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let rest = text.drop(while: isSpace)
        return rest.prefix(upTo: rest.lastIndex { !isSpace($0) }.map(rest.index(after:)) ?? rest.startIndex)
    }
}
