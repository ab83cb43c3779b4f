import Foundation

/// A JSON value, for what a producer attaches to a push or a message and the app reads.
///
///     if case .string(let match)? = push.variables["match"] { open(match) }
public enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// The text, when it is one.
    ///
    ///     push.variables["league"]?.string
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The number, when it is one.
    ///
    ///     push.variables["minute"]?.number
    public var number: Double? { if case .number(let value) = self { value } else { nil } }

    /// True or false, when it is one of them.
    ///
    ///     push.variables["live"]?.bool
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The elements, when it is an array.
    ///
    ///     push.variables["teams"]?.array?.compactMap(\.string)
    public var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members, when it is an object.
    ///
    ///     push.variables["score"]?.object?["home"]
    public var object: [String: JSON]? { if case .object(let members) = self { members } else { nil } }

    /// A member of an object; nil of everything else.
    ///
    ///     push.variables["score"]?["home"]?.number
    public subscript(name: String) -> JSON? { object?[name] }
}

extension JSON: Codable {
    /// Any JSON value.
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

    /// The value as it was.
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
    /// The value as property lists have it; nil for null, which they have not.
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

    /// Deeper than any push may be; what is below is left out, so that no payload costs more than its bytes.
    private static let depthMax = 32

    /// A value of a property list or of `JSONSerialization`, as a push's user info has them; nil for what JSON has not.
    init?(_ value: Any, depth: Int = 0) {
        guard depth < Self.depthMax else { return nil }
        switch value {
        case let text as String: self = .string(text)
        // Before numbers: on Apple's systems a number is a Bool too when it is 0 or 1, so its own type decides.
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

    /// The members whose names are texts and whose values JSON has.
    static func members(_ dictionary: [AnyHashable: Any], depth: Int = 0) -> [String: JSON] {
        var members: [String: JSON] = [:]
        for (key, value) in dictionary {
            guard let name = key.base as? String, let value = JSON(value, depth: depth) else { continue }
            members[name] = value
        }
        return members
    }

    private static func isBool(_ number: NSNumber) -> Bool {
        // `c` and `B` are how a Bool is written down as an Objective-C type.
        let type = String(cString: number.objCType)
        return (type == "c" || type == "B") && (number.doubleValue == 0 || number.doubleValue == 1)
    }
}
