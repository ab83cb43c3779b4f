/// The push services of the systems and browsers that people use, by their domains.
///
/// Nothing is let in or kept out by it: only their names are looked up before those that nobody has heard of.
public enum WellKnownServices {
    /// Domains; every name within one counts.
    public static let domains = [
        "push.apple.com", "googleapis.com", "push.services.mozilla.com", "notify.windows.com", "push.samsung.com",
    ]

    /// Whether a host is one of them.
    public static func has(_ host: String) -> Bool {
        domains.contains { host == $0 || (host.hasSuffix($0) && host.dropLast($0.utf8.count).hasSuffix(".")) }
    }
}
