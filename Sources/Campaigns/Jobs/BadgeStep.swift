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

/// A change that a campaign makes to the badge counts in the registry.
public enum BadgeChange: Sendable, Equatable {
    /// Adds or subtracts one on each device.
    case step(BadgeStep)
    /// Sets the same count on all devices.
    case count(Int)

    /// The step; nil for a count.
    public var step: BadgeStep? {
        if case .step(let step) = self { step } else { nil }
    }

    /// The count; nil for a step.
    public var count: Int? {
        if case .count(let count) = self { count } else { nil }
    }
}

extension Content {
    /// The change to the badge counts in the registry; a raw payload takes precedence, as in the push.
    ///
    /// Nil for a template, whose number only the sender knows.
    public var badgeChange: BadgeChange? {
        if let raw = apns?["aps"]?["badge"] {
            return raw.integer.map { .count(Int(min(max($0, 0), Int64(BadgeStep.countMax)))) }
        }
        return badgeStep.map { .step($0) } ?? badge.map { .count($0) }
    }
}
