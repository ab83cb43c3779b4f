import Foundation

/// One condition on a property of an event.
///
///     PropertyFilter("price", .greater, .number(10))
public struct PropertyFilter: Sendable, Hashable {
    /// The property's name.
    public let property: String
    /// How it is compared.
    public let comparison: Comparison
    /// With what; for `exists` false turns it round.
    public let value: JSON

    /// Ways to compare.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// The same value, of the same type.
        case equal
        /// It is there and has another value.
        case not
        /// A number above the value; a property that is not there is not above it.
        case greater
        /// A number below the value.
        case less
        /// A text in which the regular expression (ICU) is found.
        case regex
        /// A value that is there; null is none.
        case exists
    }

    /// A condition.
    ///
    ///     message.triggers = [Trigger(.anyPurchase, filters: [PropertyFilter("price", .greater, .number(10))])]
    public init(_ property: String, _ comparison: Comparison, _ value: JSON = .bool(true)) {
        self.property = property
        self.comparison = comparison
        self.value = value
    }

    /// Longer texts are not searched: an expression may take quadratic time.
    private static let textMax = 1000

    /// Whether it holds for what the event has under this name.
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
