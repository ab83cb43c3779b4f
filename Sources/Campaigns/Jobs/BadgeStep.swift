/// What a push does to the count that the registry keeps of a device's badge.
public enum BadgeStep: String, Sendable, CaseIterable {
    /// One more.
    case up = "+1"
    /// One fewer, never below 0.
    case down = "-1"

    /// The count after it; from 0 to what a phone's 32-bit integer holds.
    public func applied(to count: Int) -> Int {
        switch self {
        case .up: min(max(count, 0) + 1, Self.countMax)
        case .down: max(count - 1, 0)
        }
    }

    /// What a phone's 32-bit integer holds.
    public static let countMax = Int(Int32.max)

    /// The variable that carries the count of each device: a column that no list can shadow.
    public static let variable = "fanfare.badge"
    /// The template that writes it; nothing for a device without a count.
    public static let template = "{{ \(variable) }}"
}

/// What a campaign does to the counts that the registry keeps.
public enum BadgeChange: Sendable, Equatable {
    /// One more or one fewer on each.
    case step(BadgeStep)
    /// What all phones show then.
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
    /// What it does to the counts that the registry keeps; the raw fields win, as they do in the push.
    ///
    /// Nothing with a template, whose number only the sender knows.
    public var badgeChange: BadgeChange? {
        if let raw = apns?["aps"]?["badge"] {
            return raw.integer.map { .count(Int(min(max($0, 0), Int64(BadgeStep.countMax)))) }
        }
        return badgeStep.map { .step($0) } ?? badge.map { .count($0) }
    }
}
