import Campaigns

/// A path with names in place of some of its segments: `/v1/campaigns/{app}/{id}:pause`.
///
/// Hummingbird's router is not used, because ids may have colons themselves, and because roles, limits and the OpenAPI
/// document are judged by the same table of routes.
struct PathTemplate: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    private enum Segment: Hashable {
        case literal(String)
        /// A value, with what has to follow it.
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

    /// The names of its parameters, in their order.
    var parameters: [String] {
        segments.compactMap { if case .parameter(let name, _) = $0 { name } else { nil } }
    }

    /// The values of a path's segments, which are decoded already; nil when the path is another.
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

/// Takes a request's target apart (RFC 3986, section 3).
enum RequestTarget {
    /// The path, and the query behind its question mark.
    static func parts(_ target: String) -> (path: Substring, query: Substring) {
        let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        return (target[..<end], target[end...].dropFirst())
    }

    /// The segments of a path, decoded; nil when one is not well formed.
    static func segments(_ path: Substring) -> [String]? {
        var segments: [String] = []
        for part in path.utf8.split(separator: UInt8(ascii: "/")) {
            // The way to another path names nothing here, however it is written.
            guard let text = decode(Substring(part)), !NameRule.isDots(text) else { return nil }
            segments.append(text)
        }
        return segments
    }

    /// The pairs of a query in their order; nil when it is not well formed.
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
        // Nothing to decode, as nearly always.
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
        // No name of ours has control characters, and a database may not take them.
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
