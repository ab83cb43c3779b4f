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
