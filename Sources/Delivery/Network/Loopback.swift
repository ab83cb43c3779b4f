/// Recognizes addresses that only this host can reach; pure.
public enum Loopback {
    /// Returns true if a host is `localhost`, within 127.0.0.0/8, or `::1`.
    public static func isLoopback(host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
