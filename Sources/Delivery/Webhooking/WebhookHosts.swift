/// The hosts to which events may be posted (`events.webhook_hosts`); none without the setting.
///
/// An entry is a host (`hooks.example.com`), or all hosts under a domain (`*.example.com`, but not the domain itself).
/// For trying out it may be this machine with a port (`127.0.0.1:9000`, `localhost:9000`, `[::1]:9000`): only there may
/// the URL be `http`, and only there the address loopback.
public struct WebhookHosts: Sendable, Equatable {
    /// The entries as they were given, in lower case.
    public let entries: [String]

    /// Reads a list; returns the invalid entries, too.
    public static func read(_ texts: [String]) -> (hosts: WebhookHosts, refused: [String]) {
        let entries = texts.map { $0.lowercased() }
        return (WebhookHosts(entries: entries.filter(isEntry)), texts.filter { !isEntry($0.lowercased()) })
    }

    /// No host at all.
    public static let none = WebhookHosts(entries: [])

    private init(entries: [String]) { self.entries = entries }

    /// Returns true if events may be posted to the URL.
    public func allow(_ url: WebhookURL) -> Bool {
        if Self.isLoopback(url.host) { return entries.contains(Self.authority(url.host, url.port)) }
        return entries.contains { entry in
            entry.hasPrefix("*.") ? url.host.hasSuffix(entry.dropFirst()) : url.host == entry
        }
    }

    /// Returns the reach of connections to an allowed host: the public internet, or this machine alone.
    public static func scope(of url: WebhookURL) -> AddressScope { isLoopback(url.host) ? .loopback : .global }

    /// Returns true if a host is this machine by its name.
    static func isLoopback(_ host: String) -> Bool { Loopback.isLoopback(host: host) }

    /// Returns the entry that allows a host.
    public static func entry(for url: WebhookURL) -> String {
        isLoopback(url.host) ? authority(url.host, url.port) : url.host
    }

    private static func authority(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private static func isEntry(_ text: String) -> Bool {
        if text.hasPrefix("*.") { return isName(text.dropFirst(2)) && text.dropFirst(2).contains(".") }
        guard let url = try? WebhookURL("http://" + text), url.target == "/" else { return isName(text[...]) }
        return text == authority(url.host, url.port)
    }

    /// Returns true for a DNS name with a dot, or an IPv4 address; not for this machine's, which needs a port.
    private static func isName(_ text: Substring) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        return text.utf8.count <= 253 && labels.count > 1 && !isLoopback(String(text))
            && labels.allSatisfy { (1...63).contains($0.utf8.count) && $0.utf8.allSatisfy(allowed.contains) }
    }
}
