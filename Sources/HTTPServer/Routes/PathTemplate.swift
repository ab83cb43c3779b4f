import Campaigns

/// A path with names for some segments: `/v1/campaigns/{app}/{id}:pause`.
///
/// Hummingbird's router is not used: ids may contain colons themselves, and roles, limits and the OpenAPI document come
/// from the same table of routes.
struct PathTemplate: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    private enum Segment: Hashable {
        case literal(String)
        /// A value, with the text that has to follow it.
        case parameter(String, suffix: String)
    }

    let description: String
    private let segments: [Segment]

    init(stringLiteral text: String) {
        description = text
        segments = text.split(separator: "/").map { part in
            guard part.first == "{", let end = part.firstIndex(of: "}") else { return .literal(String(part)) }
            let name = part[part.index(after: part.startIndex)..<end]
            return .parameter(String(name), suffix: String(part[part.index(after: end)...]))
        }
    }

    /// The names of the parameters, in order.
    var parameters: [String] {
        segments.compactMap { if case .parameter(let name, _) = $0 { name } else { nil } }
    }

    /// Returns the parameters' values in a path's decoded segments; nil for another path.
    func match(_ path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let word): guard text == word else { return nil }
            case .parameter(let name, let suffix):
                guard text.hasSuffix(suffix), text.utf8.count > suffix.utf8.count else { return nil }
                values[name] = String(text.dropLast(suffix.count))
            }
        }
        return values
    }
}

/// Splits a request's target (RFC 3986, section 3).
enum RequestTarget {
    /// Returns the path, and the query after its question mark.
    static func parts(_ target: String) -> (path: Substring, query: Substring) {
        let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        return (target[..<end], target[end...].dropFirst())
    }

    /// Returns a path's decoded segments; nil when one is malformed.
    static func segments(_ path: Substring) -> [String]? {
        var segments: [String] = []
        for part in path.utf8.split(separator: UInt8(ascii: "/")) {
            // Dot segments are refused, in whatever encoding: they name other paths.
            guard let text = decode(Substring(part)), !NameRule.isDots(text) else { return nil }
            segments.append(text)
        }
        return segments
    }

    /// Returns the pairs of a query in order; nil when it is malformed.
    static func query(_ text: Substring) -> [(name: String, value: String)]? {
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
