/// A JSON value as a tree, for texts that are seldom read: a provider token's claims, the control address.
enum JSONNode: Equatable {
    case null
    case bool(Bool)
    /// A number as its digits, so that nothing is rounded.
    case number(String)
    case string(String)
    case array([JSONNode])
    case object([String: JSONNode])

    /// Parses a whole text; a repeated key is an error here.
    init(parsing bytes: ArraySlice<UInt8>) throws(JSONError) {
        var scanner = JSONScanner(bytes)
        self = try Self.value(from: &scanner, depth: 0)
        try scanner.expectEnd()
    }

    subscript(key: String) -> JSONNode? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The value as an integer; nil unless it is one and fits.
    ///
    /// `1e3` and `1.0` are not integers here.
    var integer: Int64? {
        guard case .number(let digits) = self else { return nil }
        return Int64(digits)
    }

    /// The value as JSON, the members of objects in the order of their names.
    var json: String {
        switch self {
        case .null: return "null"
        case .bool(let isSet): return "\(isSet)"
        case .number(let digits): return digits
        case .string(let text): return Self.quoted(text)
        case .array(let elements): return "[\(elements.map(\.json).joined(separator: ","))]"
        case .object(let members):
            let pairs = members.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)):\($0.value.json)" }
            return "{\(pairs.joined(separator: ","))}"
        }
    }

    private static func value(from scanner: inout JSONScanner, depth: Int) throws(JSONError) -> JSONNode {
        switch scanner.peek() {
        case UInt8(ascii: "{"):
            var members: [String: JSONNode] = [:]
            try scanner.members(depth: depth) { (inner, key) throws(JSONError) in
                let value = try value(from: &inner, depth: depth + 1)
                guard members.updateValue(value, forKey: key.text) == nil else { throw inner.error }
            }
            return .object(members)
        case UInt8(ascii: "["):
            var elements: [JSONNode] = []
            try scanner.elements(depth: depth) { (inner) throws(JSONError) in
                elements.append(try value(from: &inner, depth: depth + 1))
            }
            return .array(elements)
        case UInt8(ascii: "\""): return .string(try scanner.string().text)
        case UInt8(ascii: "t"):
            try scanner.literal("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try scanner.literal("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try scanner.literal("null")
            return .null
        default: return .number(String(decoding: try scanner.number(), as: UTF8.self))
        }
    }

    /// Returns `text` as a JSON string with its quotes.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20:
                quoted += "\\u00" + Hexadecimal.text(CollectionOfOne(UInt8(scalar.value)))
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
