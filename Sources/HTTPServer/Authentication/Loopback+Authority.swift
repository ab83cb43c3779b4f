import Delivery

extension Loopback {
    /// Returns true if `host:port`, `host` or `[::1]:port` is this machine.
    static func isLoopback(authority: String) -> Bool {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return false }
            return isLoopback(host: String(authority[authority.index(after: authority.startIndex)..<end]))
        }
        return isLoopback(host: String(authority.prefix { $0 != ":" }))
    }
}
