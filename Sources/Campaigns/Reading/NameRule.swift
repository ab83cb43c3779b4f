/// The rules of names that occur outside of a job too: in flags, in paths, in queue names (contract, section 1).
public enum NameRule {
    static let idBytesMax = 128
    private static let appBytesMax = 128

    /// Returns true if a text can be a campaign's id, a list's name or its version: 1–128 of `[A-Za-z0-9._:-]`.
    ///
    /// `.` and `..` cannot be: an HTTP path cannot contain them.
    public static func isID(_ text: String) -> Bool {
        (1...idBytesMax).contains(text.utf8.count) && !isDots(text)
            && text.utf8.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: ":") }
    }

    /// Returns true for `.` and `..`, which in an HTTP path lead to another path (RFC 3986, section 5.2.4).
    ///
    /// Clients and proxies resolve them before the server sees the path.
    public static func isDots(_ text: String) -> Bool { text == "." || text == ".." }

    /// Returns a stranger's text for a message: at most 64 characters, without control characters.
    public static func shown(_ text: String) -> String { text.clipped }

    /// Returns true if a text can be an app's name: 1–128 of `[A-Za-z0-9._-]`.
    ///
    /// An app is a routing key, a file's section and a part of queue names.
    public static func isApp(_ text: String) -> Bool {
        (1...appBytesMax).contains(text.utf8.count) && text.utf8.allSatisfy(isWordByte)
    }

    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
