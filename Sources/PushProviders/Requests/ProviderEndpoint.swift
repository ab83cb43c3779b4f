/// The address of a provider; always TLS with HTTP/2.
public struct ProviderEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// A DNS name or an address without brackets, which TLS verifies.
    public let host: String
    /// The TCP port.
    public let port: UInt16

    /// Creates an endpoint.
    public init(host: String, port: UInt16 = 443) {
        self.host = host
        self.port = port
    }

    /// Reads `https://host[:port]`; nil for anything else (RFC 3986, 3.2.2; a path other than `/` is refused).
    public init?(url: String) {
        guard url.lowercased().hasPrefix("https://") else { return nil }
        var authority = url.dropFirst("https://".count)
        if authority.hasSuffix("/") { authority = authority.dropLast() }
        let name: Substring
        var rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            name = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
            guard name.contains(":"), name.utf8.allSatisfy({ Self.isAddressByte($0) }) else { return nil }
        } else {
            name = authority.prefix { $0 != ":" }
            rest = authority[name.endIndex...]
            guard name.utf8.allSatisfy({ Self.isNameByte($0) }) else { return nil }
        }
        guard !name.isEmpty else { return nil }
        var number: UInt16 = 443
        if rest.hasPrefix(":") {
            rest = rest.dropFirst()
            guard rest.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let value = UInt16(rest), value > 0 else {
                return nil
            }
            number = value
        } else if !rest.isEmpty {
            return nil
        }
        host = String(name)
        port = number
    }

    /// The value of `:authority`, with the port only when it is not 443 (RFC 9113, 8.3.1).
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }

    /// The address as it is configured: `https://host[:port]`.
    public var url: String { "https://\(authority)" }

    /// The address for logs: `host:port`.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x3a, 0x41...0x46, 0x61...0x66, UInt8(ascii: "."): true
        default: false
        }
    }
}
