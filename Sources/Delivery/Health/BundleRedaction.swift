public import Campaigns

/// The second wall of a bundle for support: hides what has the form of a secret, wherever it stands.
///
/// The first wall is that a bundle takes only what is made for people to see. Pure.
public struct BundleRedaction: Sendable {
    /// The text in place of what is hidden.
    public static let mark = "***"

    /// The least number of letters and digits in a row, at least one of them a digit, that may be a token or a key.
    static let rowLeast = 24
    /// The least length of a word with `-` or `_` in it that may be one, if letters of both cases and digits are in it.
    static let wordLeast = 32
    private static let names = ["password", "passwd", "passphrase", "secret", "authorization"].map { Array($0.utf8) }

    private let secrets: [[UInt8]]

    /// Takes the secrets that are known, in the forms in which they may occur.
    public init(secrets: [String]) {
        // A longer one may contain a shorter one.
        self.secrets = secrets.map { Array($0.utf8) }.filter { !$0.isEmpty }.sorted { $0.count > $1.count }
    }

    /// Returns a text without secrets; its lines stay lines, and its JSON stays JSON.
    public func redacted(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var isInKey = false
        for (number, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            if number > 0 { result.append(0x0A) }
            isInKey = isInKey || Self.has("-----BEGIN", line)
            result += isInKey ? Array(Self.mark.utf8) : redacted(line: Array(line))
            if Self.has("-----END", line) { isInKey = false }
        }
        return result
    }

    /// Returns a text without secrets.
    public func redacted(_ text: String) -> String { String(decoding: redacted(Array(text.utf8)), as: UTF8.self) }

    private func redacted(line: [UInt8]) -> [UInt8] {
        var line = line
        for secret in secrets { line = Self.replacing(secret, in: line) }
        return Self.hidingWords(in: Self.hidingNamed(in: Self.hidingPasswords(in: line)))
    }

    private static func replacing(_ secret: [UInt8], in line: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var offset = 0
        while offset < line.count {
            if line[offset...].starts(with: secret) {
                result += mark.utf8
                offset += secret.count
            } else {
                result.append(line[offset])
                offset += 1
            }
        }
        return result
    }

    /// Hides the passwords of URLs; one that holds an unescaped `@` or `/` is hidden whole.
    private static func hidingPasswords(in line: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = line[...]
        while let scheme = position(of: "://", in: rest) {
            let start = scheme + 3
            let end = rest[start...].firstIndex { isEnd($0) } ?? rest.endIndex
            result += rest[..<start]
            rest = rest[start...]
            guard let at = rest[..<end].lastIndex(of: UInt8(ascii: "@")),
                let colon = rest[..<at].firstIndex(of: UInt8(ascii: ":"))
            else { continue }
            result += rest[...colon]
            result += mark.utf8
            rest = rest[at...]
        }
        return result + rest
    }

    /// Hides the value that follows a name such as `password`, with `=` or `:` between.
    private static func hidingNamed(in line: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = line[...]
        while let end = endOfName(in: rest) {
            result += rest[..<end]
            rest = rest[end...]
            let between = rest.prefix { isQuote($0) || " =:".utf8.contains($0) }
            guard between.contains(where: { "=:".utf8.contains($0) }) else { continue }
            result += between
            rest = rest[between.endIndex...]
            let quote = between.last.flatMap { isQuote($0) ? $0 : nil }
            let value = rest.prefix { byte in quote.map { byte != $0 } ?? (!isEnd(byte) && byte != UInt8(ascii: "&")) }
            if !value.isEmpty { result += mark.utf8 }
            rest = rest[value.endIndex...]
        }
        return result + rest
    }

    /// Hides words that may be tokens or keys.
    private static func hidingWords(in line: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = line[...]
        while !rest.isEmpty {
            let word = rest.prefix(while: isOfWord)
            result += isSecret(word) ? Array(mark.utf8) : Array(word)
            rest = rest[word.endIndex...]
            let between = rest.prefix { !isOfWord($0) }
            result += between
            rest = rest[between.endIndex...]
        }
        return result
    }

    private static func isSecret(_ word: ArraySlice<UInt8>) -> Bool {
        let rows = word.split { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        if rows.contains(where: { $0.count >= rowLeast && $0.contains(where: isDigit) }) { return true }
        return word.count >= wordLeast && word.contains(where: isDigit)
            && word.contains { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
            && word.contains { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// True for what ends a value in a line of a log or in JSON.
    private static func isEnd(_ byte: UInt8) -> Bool { byte <= 0x20 || isQuote(byte) }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    private static func has(_ text: String, _ line: ArraySlice<UInt8>) -> Bool { position(of: text, in: line) != nil }

    private static func position(of text: String, in line: ArraySlice<UInt8>) -> Int? {
        let wanted = Array(text.utf8)
        return line.indices.first { line[$0] == wanted[0] && line[$0...].starts(with: wanted) }
    }

    private static func endOfName(in line: ArraySlice<UInt8>) -> Int? {
        for index in line.indices {
            for name in names where line[index...].starts(with: name, by: { $0 | 0x20 == $1 }) {
                return index + name.count
            }
        }
        return nil
    }
}

/// The facts of a campaign's event that a bundle for support has.
///
/// Numbers and truth values tell nothing that a campaign says to people; of texts only those pass that are chosen here.
/// Pure.
public enum BundleEvent {
    /// The members whose texts are instants, states, codes and ids.
    private static let texts: Set<String> = [
        "created_at", "expires_at", "send_at", "state", "provider", "urgency", "reason", "reasons", "time_zone", "by",
    ]

    /// Returns the data of an event without its other texts.
    public static func chosen(_ data: JSONValue) -> JSONValue {
        .object(
            (data.members ?? []).filter { member in
                switch member.value {
                case .null, .bool, .number: true
                case .string: texts.contains(member.name)
                case .array(let elements): texts.contains(member.name) && elements.allSatisfy { $0.string != nil }
                case .object: false
                }
            }
        )
    }
}
