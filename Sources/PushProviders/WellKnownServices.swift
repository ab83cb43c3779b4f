/// The push services of the systems and browsers that people use, by their domains.
///
/// They are neither allowed nor blocked by this list: only their names are resolved before unknown ones.
public enum WellKnownServices {
    /// The domains; every host within one counts.
    public static let domains = [
        "push.apple.com", "googleapis.com", "push.services.mozilla.com", "notify.windows.com", "push.samsung.com",
    ]

    /// Returns true if a host is within one of them.
    public static func has(_ host: String) -> Bool {
        domains.contains { host == $0 || (host.hasSuffix($0) && host.dropLast($0.utf8.count).hasSuffix(".")) }
    }
}
