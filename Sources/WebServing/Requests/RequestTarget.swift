import Campaigns

/// Splits a request's target (RFC 3986, section 3).
package enum RequestTarget {
    /// Returns the path, and the query after its question mark.
    package static func parts(_ target: String) -> (path: Substring, query: Substring) {
        let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        return (target[..<end], target[end...].dropFirst())
    }

    /// Returns a target's path for logs.
    package static func shown(_ target: String?) -> String { String(parts(target ?? "").path.prefix(512)) }

    /// Returns a path's decoded segments; nil when one is malformed.
    package static func segments(_ path: Substring) -> [String]? {
        var segments: [String] = []
        for part in path.utf8.split(separator: UInt8(ascii: "/")) {
            // Dot segments are refused, in whatever encoding: they name other paths.
            guard let text = decode(Substring(part)), !NameRule.isDots(text) else { return nil }
            segments.append(text)
        }
        return segments
    }

    /// Returns the pairs of a query in order; nil when it is malformed.
    package static func query(_ text: Substring) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for part in text.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = halves.count == 2 ? halves[1] : ""
            guard let name = decode(halves[0], plusIsBlank: true), let value = decode(value, plusIsBlank: true) else {
                return nil
            }
            pairs.append((name, value))
        }
        return pairs
    }

    private static func decode(_ text: Substring, plusIsBlank: Bool = false) -> String? {
        // The usual case: nothing to decode.
        let isPlain = text.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+")
        }
        if isPlain { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                    let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            case UInt8(ascii: "+") where plusIsBlank: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        // No name here has control characters, and a database may refuse them.
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
