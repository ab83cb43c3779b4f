/// Tells addresses that only this host can reach.
public enum Loopback {
    /// Whether a host is `localhost`, within 127.0.0.0/8, or `::1`.
    public static func isLoopback(host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }

    /// The same of `host:port`, `host`, `[::1]:port`.
    static func isLoopback(authority: String) -> Bool {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return false }
            return isLoopback(host: String(authority[authority.index(after: authority.startIndex)..<end]))
        }
        return isLoopback(host: String(authority.prefix { $0 != ":" }))
    }
}
