/// The client behind trusted proxies, by the headers that they add: `Forwarded` (RFC 7239) or `X-Forwarded-For`; pure.
///
/// Each proxy appends the address that it got the request from. So the list is read from its end, as long as the proxy
/// that added the entry is trusted. Entries before the first untrusted address are that client's own invention.
public enum ForwardedClient {
    /// The number of elements of a list that are read: nobody has more proxies in a row.
    public static let elementsMax = 32

    /// Returns the client's address; `peer` is the connection's remote address.
    ///
    /// A trusted proxy that adds nothing, or nothing readable, is the client itself.
    public static func address(
        peer: ClientAddress,
        forwarded: [String],
        xForwardedFor: [String],
        trusted: TrustedProxies
    ) -> ClientAddress {
        guard trusted.contains(peer) else { return peer }
        // A proxy uses one of the two headers; the standard one comes first.
        let said = forwarded.isEmpty ? split(xForwardedFor, at: ",") : split(forwarded, at: ",").map(node)
        var client = peer
        for text in said.suffix(elementsMax).reversed() {
            guard let address = address(of: text) else { return client }
            client = address
            guard trusted.contains(address) else { return address }
        }
        return client
    }

    /// The value of `for` in one element of `Forwarded`; empty if there is none.
    private static func node(_ element: String) -> String {
        for pair in split([element], at: ";") {
            guard let equals = pair.firstIndex(of: "="), pair[..<equals].lowercased() == "for" else { continue }
            return String(pair[pair.index(after: equals)...])
        }
        return ""
    }

    /// Reads `192.0.2.60`, `192.0.2.60:4711`, `[2001:db8::17]:4711` or `2001:db8::17`, with or without quotes.
    private static func address(of text: String) -> ClientAddress? {
        var text = Substring(text)
        if text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count >= 2 { text = text.dropFirst().dropLast() }
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            return ClientAddress(text[text.index(after: text.startIndex)..<end])
        }
        if text.count(where: { $0 == ":" }) == 1 { text = text.prefix { $0 != ":" } }
        return ClientAddress(text)
    }

    /// The parts of lists, in order and without surrounding blanks; a separator in quotes does not split.
    private static func split(_ fields: [String], at separator: Character) -> [String] {
        var parts: [String] = []
        for field in fields {
            var (part, isQuoted, isEscaped) = ("", false, false)
            for character in field {
                if isEscaped {
                    isEscaped = false
                } else if isQuoted, character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    isQuoted.toggle()
                } else if character == separator, !isQuoted {
                    parts.append(trimmed(part))
                    part = ""
                    continue
                }
                part.append(character)
            }
            parts.append(trimmed(part))
        }
        return parts
    }

    private static func trimmed(_ text: String) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let tail = text.drop(while: isBlank)
        guard let last = tail.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(tail[...last])
    }
}
