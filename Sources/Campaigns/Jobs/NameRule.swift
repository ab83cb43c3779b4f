/// The rules of names that travel outside of a job too: in flags, in paths, in queue names (contract, section 1).
public enum NameRule {
    /// Whether a text can be a campaign's id, a list's name or its version: 1–128 of `[A-Za-z0-9._:-]`.
    public static func isID(_ text: String) -> Bool { JobIdentity.isID(text) }

    /// Whether a text is `.` or `..`: in a path of HTTP that is the way to another one (RFC 3986, section 5.2.4), and
    /// clients and proxies follow it before anybody is asked.
    public static func isDots(_ text: String) -> Bool { text == "." || text == ".." }

    /// A stranger's text inside a message: at most 64 characters, none of control.
    public static func shown(_ text: String) -> String { text.clipped }

    /// Whether a text can be an app's name: 1–128 of `[A-Za-z0-9._-]`.
    public static func isApp(_ text: String) -> Bool { JobIdentity.isApp(text) }
}
