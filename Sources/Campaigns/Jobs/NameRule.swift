/// The rules of names that occur outside of a job too: in flags, in paths, in queue names (contract, section 1).
public enum NameRule {
    /// Returns true if a text can be a campaign's id, a list's name or its version: 1–128 of `[A-Za-z0-9._:-]`.
    public static func isID(_ text: String) -> Bool { JobIdentity.isID(text) }

    /// Returns true for `.` and `..`, which in an HTTP path lead to another path (RFC 3986, section 5.2.4).
    ///
    /// Clients and proxies resolve them before the server sees the path.
    public static func isDots(_ text: String) -> Bool { text == "." || text == ".." }

    /// Returns a stranger's text for a message: at most 64 characters, without control characters.
    public static func shown(_ text: String) -> String { text.clipped }

    /// Returns true if a text can be an app's name: 1–128 of `[A-Za-z0-9._-]`.
    public static func isApp(_ text: String) -> Bool { JobIdentity.isApp(text) }
}
