import PushProviders

/// Where a webhook's events are posted to (RFC 3986): `https`, or `http` to a loopback host.
public struct WebhookURL: Sendable, Hashable, CustomStringConvertible {
    /// As it was written.
    public let text: String
    /// Whether it is `https`.
    public let isSecure: Bool
    /// A DNS name in lower case, or an address without brackets: what TLS verifies.
    public let host: String
    /// The TCP port.
    public let port: Int
    /// Path and query, as a request's first line has them.
    public let target: String

    /// Why a text is no address that events may be posted to.
    public struct Refusal: Error, Sendable, Equatable {
        /// What is wrong with it.
        public let detail: String
        /// How to mend it.
        public let fix: String
    }

    /// Longer ones are refused.
    public static let bytesMax = 2048

    /// Reads an address; what comes from it is safe in a request's lines: visible ASCII only.
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
        // The endpoint's own reader knows names, addresses in brackets and ports; only their default differs.
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

    /// The value of a request's `host` field: the port only when it is not the scheme's own.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Scheme, host and port: for logs, because a path may be a secret.
    public var description: String { (isSecure ? "https://" : "http://") + authority }
}
