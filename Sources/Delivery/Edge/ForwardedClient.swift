/// Who asks through trusted proxies, by what they add to a request: `Forwarded` (RFC 7239), or `X-Forwarded-For`; pure.
///
/// Each proxy appends who it got the request from, so that the list is believed from its end, as long as the one that
/// said it is trusted. What stands before the first stranger is the stranger's own invention.
public enum ForwardedClient {
    /// Elements of a list that are looked at: more proxies in a row nobody has.
    public static let elementsMax = 32

    /// The client's address; `peer` is who the connection comes from.
    ///
    /// A trusted proxy that says nothing, or nothing that can be read, is the client itself.
    public static func address(
        peer: ClientAddress,
        forwarded: [String],
        xForwardedFor: [String],
        trusted: TrustedProxies
    ) -> ClientAddress {
        guard trusted.contains(peer) else { return peer }
        // One proxy says it in one way; the standard's goes before the other.
        let said = forwarded.isEmpty ? split(xForwardedFor, at: ",") : split(forwarded, at: ",").map(node)
        var client = peer
        for text in said.suffix(elementsMax).reversed() {
            guard let address = address(of: text) else { return client }
            client = address
            guard trusted.contains(address) else { return address }
        }
        return client
    }

    /// The value of `for` in one element of `Forwarded`; empty when there is none.
    private static func node(_ element: String) -> String {
        for pair in split([element], at: ";") {
            guard let equals = pair.firstIndex(of: "="), pair[..<equals].lowercased() == "for" else { continue }
            return String(pair[pair.index(after: equals)...])
        }
        return ""
    }

    /// `192.0.2.60`, `192.0.2.60:4711`, `[2001:db8::17]:4711`, `2001:db8::17`, with quotes or without.
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

    /// The parts of lists, in their order and without blanks around them; a separator in quotes is none.
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
