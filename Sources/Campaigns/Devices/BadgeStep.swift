/// A change that a push makes to a device's badge count in the registry.
public enum BadgeStep: String, Sendable, CaseIterable {
    /// Adds one.
    case up = "+1"
    /// Subtracts one; the count never falls below 0.
    case down = "-1"

    /// Returns the new count, between 0 and the limit of a phone's 32-bit integer.
    public func applied(to count: Int) -> Int {
        switch self {
        case .up: min(max(count, 0) + 1, Self.countMax)
        case .down: max(count - 1, 0)
        }
    }

    /// The limit of a phone's 32-bit integer.
    public static let countMax = Int(Int32.max)

    /// The variable with the count of each device: a column that no list can shadow.
    public static let variable = "fanfare.badge"
    /// The template that renders the count; empty for a device without one.
    public static let template = "{{ \(variable) }}"
}
