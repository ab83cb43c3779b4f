/// An expression as a tree.
indirect enum SegmentNode: Hashable, Sendable {
    case term(SegmentTerm)
    case not(SegmentNode)
    case all([SegmentNode])
    case any([SegmentNode])

    /// The form that equivalent spellings share: flat, no double negation, operands sorted and without duplicates.
    var normalized: SegmentNode {
        switch self {
        case .term: self
        case .not(let inner):
            switch inner.normalized {
            case .not(let twice): twice
            case let other: .not(other)
            }
        case .all(let parts):
            SegmentNode.combined(parts, SegmentNode.all) { if case .all(let inner) = $0 { inner } else { nil } }
        case .any(let parts):
            SegmentNode.combined(parts, SegmentNode.any) { if case .any(let inner) = $0 { inner } else { nil } }
        }
    }

    private static func combined(
        _ parts: [SegmentNode],
        _ make: ([SegmentNode]) -> SegmentNode,
        _ inner: (SegmentNode) -> [SegmentNode]?
    ) -> SegmentNode {
        var texts: [(text: String, node: SegmentNode)] = []
        for part in parts.map(\.normalized) {
            for node in inner(part) ?? [part] { texts.append((node.text(within: .all), node)) }
        }
        texts.sort { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        var nodes: [SegmentNode] = []
        for (index, entry) in texts.enumerated()
        where index == 0 || !entry.text.utf8.elementsEqual(texts[index - 1].text.utf8) {
            nodes.append(entry.node)
        }
        return nodes.count == 1 ? nodes[0] : make(nodes)
    }

    /// The operator around an expression, which determines if it needs parentheses.
    enum Context {
        case any, all, not
    }

    func text(within context: Context) -> String {
        switch self {
        case .term(let term): return term.text(isNegated: false)
        case .not(.term(let term)): return term.text(isNegated: true)
        case .not(let inner): return "!" + inner.text(within: .not)
        case .all(let parts):
            let text = parts.map { $0.text(within: .all) }.joined(separator: " && ")
            return context == .not ? "(" + text + ")" : text
        case .any(let parts):
            let text = parts.map { $0.text(within: .any) }.joined(separator: " || ")
            return context == .any ? text : "(" + text + ")"
        }
    }
}

enum SegmentComparison: String, Sendable, CaseIterable {
    case less = "<"
    case lessOrEqual = "<="
    case equal = "=="
    case notEqual = "!="
    case greaterOrEqual = ">="
    case greater = ">"

    /// Returns true if an order (negative, zero or positive) satisfies the comparison; nil (not comparable) never does.
    func holds(_ order: Int?) -> Bool {
        guard let order else { return false }
        switch self {
        case .less: return order < 0
        case .lessOrEqual: return order <= 0
        case .equal: return order == 0
        case .notEqual: return order != 0
        case .greaterOrEqual: return order >= 0
        case .greater: return order > 0
        }
    }
}

/// A tag or a comparison; `!=` is a negated `==`, so it never stands in a term.
enum SegmentTerm: Hashable, Sendable {
    case tag(String)
    /// A text of the packed group equals a value: provider, environment or time zone.
    case group(GroupField, String)
    /// A language range, in lower case.
    case locale(String)
    case permission(PushPermission)
    case appVersion(SegmentComparison, String)
    case registeredAt(SegmentComparison, Timestamp)
    case attribute(String, SegmentComparison, SegmentLiteral)
    /// A question about tracking events.
    case tracked(TrackedQuestion)

    /// A field of the packed group; the raw value is its index there.
    enum GroupField: Int, Sendable {
        case provider = 0
        case environment = 1
        case timeZone = 3

        var name: String {
            switch self {
            case .provider: "provider"
            case .environment: "environment"
            case .timeZone: "time_zone"
            }
        }
    }

    func text(isNegated: Bool) -> String {
        switch self {
        case .tag(let tag): return (isNegated ? "!" : "") + SegmentWord.tag(tag)
        case .group(let field, let value): return compared(field.name, .equal, SegmentWord.quoted(value), isNegated)
        case .locale(let range): return compared("locale", .equal, SegmentWord.quoted(range), isNegated)
        case .permission(let value):
            return compared("permission", .equal, SegmentWord.quoted(value.rawValue), isNegated)
        case .appVersion(let comparison, let version):
            return compared("app_version", comparison, SegmentWord.version(version), isNegated)
        case .registeredAt(let comparison, let instant):
            return compared("registered_at", comparison, SegmentWord.quoted(instant.rfc3339), isNegated)
        case .attribute(let name, let comparison, let literal):
            return compared(SegmentWord.attribute(name), comparison, literal.text, isNegated)
        case .tracked(let question): return (isNegated ? "!" : "") + question.text
        }
    }

    private func compared(
        _ name: String,
        _ comparison: SegmentComparison,
        _ value: String,
        _ isNegated: Bool
    ) -> String {
        if isNegated, comparison == .equal { return "\(name) != \(value)" }
        let text = "\(name) \(comparison.rawValue) \(value)"
        return isNegated ? "!(\(text))" : text
    }
}

/// The right side of an attribute's comparison.
enum SegmentLiteral: Hashable, Sendable {
    case text(String)
    case number(JSONNumber)
    case version(String)
    case bool(Bool)

    var text: String {
        switch self {
        case .text(let text): SegmentWord.quoted(text)
        case .number(let number): number.text
        case .version(let version): version
        case .bool(let flag): flag ? "true" : "false"
        }
    }
}

/// The spelling of names and texts.
enum SegmentWord {
    /// The names that are not attributes.
    static let fields = [
        "app_version", "locale", "time_zone", "provider", "platform", "environment", "permission", "registered_at",
    ]
    /// The words that other languages use for operators.
    static let connectives = ["and": "&&", "or": "||", "not": "!"]
    static let attributePrefix = "attributes."

    /// Returns true for letters and digits of any script and for characters that join words.
    static func isWordByte(_ byte: UInt8) -> Bool {
        NameRule.isWordByte(byte) || byte >= 0x80 || ":/@+#".utf8.contains(byte)
    }

    static func tag(_ tag: String) -> String {
        isBare(tag) ? tag : quoted(tag)
    }

    static func attribute(_ name: String) -> String {
        if fields.contains(name) || name.hasPrefix(attributePrefix) { return attributePrefix + name }
        return isBare(name) ? name : quoted(name)
    }

    static func version(_ version: String) -> String {
        version.utf8.allSatisfy(isWordByte) ? version : quoted(version)
    }

    private static func isBare(_ text: String) -> Bool {
        text.utf8.allSatisfy(isWordByte) && !text.isEmpty && !fields.contains(text)
            && connectives[text.lowercased()] == nil
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
