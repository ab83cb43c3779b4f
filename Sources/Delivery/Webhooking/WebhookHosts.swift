/// The hosts that events may be posted to (`events.webhook_hosts`); none without it.
///
/// An entry is a host (`hooks.example.com`), all hosts under a domain (`*.example.com`, not the domain itself), or one of
/// this machine with its port (`127.0.0.1:9000`, `localhost:9000`, `[::1]:9000`), which is for trying out: only there may
/// the address be `http`, and only there a loopback address.
public struct WebhookHosts: Sendable, Equatable {
    /// The entries in lower case, as they were given.
    public let entries: [String]

    /// Reads a list; the entries that are none, instead.
    public static func read(_ texts: [String]) -> (hosts: WebhookHosts, refused: [String]) {
        let entries = texts.map { $0.lowercased() }
        return (WebhookHosts(entries: entries.filter(isEntry)), texts.filter { !isEntry($0.lowercased()) })
    }

    /// No host at all.
    public static let none = WebhookHosts(entries: [])

    private init(entries: [String]) { self.entries = entries }

    /// Whether events may be posted there.
    public func allow(_ url: WebhookURL) -> Bool {
        if Self.isLoopback(url.host) { return entries.contains(Self.place(url.host, url.port)) }
        return entries.contains { entry in
            entry.hasPrefix("*.") ? url.host.hasSuffix(entry.dropFirst()) : url.host == entry
        }
    }

    /// Which addresses a connection to an allowed host may go to: the public internet, or this machine alone.
    public static func reach(of url: WebhookURL) -> AddressReach { isLoopback(url.host) ? .loopback : .global }

    /// Whether a host is this machine by its name.
    static func isLoopback(_ host: String) -> Bool { Loopback.isLoopback(host: host) }

    /// What has to be in the list for a host.
    public static func entry(for url: WebhookURL) -> String {
        isLoopback(url.host) ? place(url.host, url.port) : url.host
    }

    private static func place(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private static func isEntry(_ text: String) -> Bool {
        if text.hasPrefix("*.") { return isName(text.dropFirst(2)) && text.dropFirst(2).contains(".") }
        guard let url = try? WebhookURL("http://" + text), url.target == "/" else { return isName(text[...]) }
        return text == place(url.host, url.port)
    }

    /// A DNS name with a dot, or an IPv4 address; not this machine's, which needs a port.
    private static func isName(_ text: Substring) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        return text.utf8.count <= 253 && labels.count > 1 && !isLoopback(String(text))
            && labels.allSatisfy { (1...63).contains($0.utf8.count) && $0.utf8.allSatisfy(allowed.contains) }
    }
}
