import Foundation

/// One condition on a property of an event.
///
///     PropertyFilter("price", .greater, .number(10))
public struct PropertyFilter: Sendable, Hashable {
    /// The property's name.
    public let property: String
    /// The way to compare it.
    public let comparison: Comparison
    /// The value to compare with; for `exists`, false inverts the condition.
    public let value: JSON

    /// The ways to compare.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// The same value, of the same type.
        case equal
        /// Present with another value.
        case not
        /// A number above the value; a missing property does not match.
        case greater
        /// A number below the value.
        case less
        /// A text in which the regular expression (ICU) is found.
        case regex
        /// Present; null counts as absent.
        case exists
    }

    /// Creates a condition.
    ///
    ///     message.triggers = [Trigger(.anyPurchase, filters: [PropertyFilter("price", .greater, .number(10))])]
    public init(_ property: String, _ comparison: Comparison, _ value: JSON = .bool(true)) {
        self.property = property
        self.comparison = comparison
        self.value = value
    }

    /// The longest text that is searched, because an expression may take quadratic time.
    private static let textMax = 1000

    /// Returns true if the condition holds for the event's value of this property.
    func holds(_ given: JSON?) -> Bool {
        switch comparison {
        case .equal: return given == value
        case .not: return given != nil && given != .null && given != value
        case .greater: return Self.isLess(value, given)
        case .less: return Self.isLess(given, value)
        case .exists: return (given != nil && given != .null) == (value != .bool(false))
        case .regex:
            guard let text = given?.string, text.utf16.count <= Self.textMax, let pattern = value.string,
                let expression = try? NSRegularExpression(pattern: pattern)
            else { return false }
            return expression.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
        }
    }

    private static func isLess(_ left: JSON?, _ right: JSON?) -> Bool {
        guard let left = left?.number, let right = right?.number else { return false }
        return left < right
    }
}
