import PushProviders

/// The URL to which a webhook's events are posted (RFC 3986): `https`, or `http` to a loopback host.
public struct WebhookURL: Sendable, Hashable, CustomStringConvertible {
    /// The URL as it was written.
    public let text: String
    /// True for `https`.
    public let isSecure: Bool
    /// The host that TLS verifies: a DNS name in lower case, or an address without brackets.
    public let host: String
    /// The TCP port.
    public let port: Int
    /// Path and query, as a request's first line has them.
    public let target: String

    /// The reason why events may not be posted to a text.
    public struct Refusal: Error, Sendable, Equatable {
        /// The defect.
        public let detail: String
        /// The fix.
        public let fix: String
    }

    /// The largest size of a URL, in bytes.
    public static let bytesMax = 2048

    /// Reads a URL; its parts are safe in a request's lines: visible ASCII only.
    public init(_ text: String) throws(Refusal) {
        let form = "write it like https://hooks.example.com/fanfare"
        guard text.utf8.count <= Self.bytesMax, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw Refusal(detail: "not a URL of at most \(Self.bytesMax) visible ASCII characters", fix: form)
        }
        let lower = text.lowercased()
        guard lower.hasPrefix("https://") || lower.hasPrefix("http://") else {
            throw Refusal(detail: "not an https URL", fix: form)
        }
        isSecure = lower.hasPrefix("https://")
        let rest = text.dropFirst(isSecure ? 8 : 7)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@") else {
            throw Refusal(detail: "a user or a password in it", fix: "leave it out: receivers check the signature")
        }
        let tail = rest[authority.endIndex...]
        guard !tail.contains("#") else {
            throw Refusal(detail: "a fragment in it", fix: "leave # and what follows out")
        }
        // The endpoint's own reader handles names, bracketed addresses and ports; only the default port differs.
        guard let endpoint = ProviderEndpoint(url: "https://" + authority.lowercased()) else {
            throw Refusal(detail: "its host or port cannot be read", fix: form)
        }
        let hasPort = authority.contains(":") && !authority.hasSuffix("]")
        host = endpoint.host
        port = hasPort ? Int(endpoint.port) : isSecure ? 443 : 80
        target = tail.hasPrefix("/") ? String(tail) : "/" + tail
        self.text = text
        guard isSecure || WebhookHosts.isLoopback(host) else {
            throw Refusal(detail: "http goes over the network in the clear", fix: "use https")
        }
    }

    /// The value of a request's `host` field: with the port only if it is not the scheme's default.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// The scheme, host and port, for logs: a path may be a secret.
    public var description: String { (isSecure ? "https://" : "http://") + authority }
}
