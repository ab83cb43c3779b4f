import Foundation

/// A JSON value, for data that a producer attaches to a push or a message.
///
///     if case .string(let match)? = push.variables["match"] { open(match) }
public enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// The text; nil for other values.
    ///
    ///     push.variables["league"]?.string
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The number; nil for other values.
    ///
    ///     push.variables["minute"]?.number
    public var number: Double? { if case .number(let value) = self { value } else { nil } }

    /// The Boolean; nil for other values.
    ///
    ///     push.variables["live"]?.bool
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The elements of an array; nil for other values.
    ///
    ///     push.variables["teams"]?.array?.compactMap(\.string)
    public var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members of an object; nil for other values.
    ///
    ///     push.variables["score"]?.object?["home"]
    public var object: [String: JSON]? { if case .object(let members) = self { members } else { nil } }

    /// A member of an object; nil for other values.
    ///
    ///     push.variables["score"]?["home"]?.number
    public subscript(name: String) -> JSON? { object?[name] }
}

extension JSON: Codable {
    /// Decodes any JSON value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    /// Encodes the value as it was.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSON {
    /// The value in the form of property lists; nil for null, which they do not have.
    ///
    ///     content.userInfo = notification.userInfo.compactMapValues(\.plain)
    public var plain: Any? {
        switch self {
        case .null: nil
        case .bool(let value): value
        case .number(let value): value
        case .string(let value): value
        case .array(let elements): elements.compactMap(\.plain)
        case .object(let members): members.compactMapValues(\.plain)
        }
    }

    /// The deepest nesting that is read, deeper than any valid push, so that no payload costs more than its bytes.
    private static let depthMax = 32

    /// Converts a value of a property list or of `JSONSerialization`, as in a push's user info; nil for other types.
    init?(_ value: Any, depth: Int = 0) {
        guard depth < Self.depthMax else { return nil }
        switch value {
        case let text as String: self = .string(text)
        // Before numbers: on Apple's systems the number 0 or 1 also casts to Bool, so the number's own type decides.
        case let number as NSNumber where JSON.isBool(number): self = .bool(number.boolValue)
        case let number as NSNumber: self = .number(number.doubleValue)
        case let flag as Bool: self = .bool(flag)
        case let number as Int: self = .number(Double(number))
        case let number as Double: self = .number(number)
        case is NSNull: self = .null
        case let elements as [Any]: self = .array(elements.compactMap { JSON($0, depth: depth + 1) })
        case let members as [AnyHashable: Any]: self = .object(JSON.members(members, depth: depth + 1))
        default: return nil
        }
    }

    /// Returns the members whose names are texts and whose values JSON can represent.
    static func members(_ dictionary: [AnyHashable: Any], depth: Int = 0) -> [String: JSON] {
        var members: [String: JSON] = [:]
        for (key, value) in dictionary {
            guard let name = key.base as? String, let value = JSON(value, depth: depth) else { continue }
            members[name] = value
        }
        return members
    }

    private static func isBool(_ number: NSNumber) -> Bool {
        // `c` and `B` are the Objective-C type encodings of a Bool.
        let type = String(cString: number.objCType)
        return (type == "c" || type == "B") && (number.doubleValue == 0 || number.doubleValue == 1)
    }
}
