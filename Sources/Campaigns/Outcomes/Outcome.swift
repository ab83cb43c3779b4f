/// The final result of a device, which is pending until then.
public enum Outcome: UInt8, Sendable, CaseIterable {
    /// The provider accepted the push.
    case accepted = 1
    /// The provider reported a dead token.
    case invalid = 2
    /// Given up, for a reason other than the token.
    case failed = 3
    /// Too late to be useful.
    case expired = 4
    /// Replaced by a newer campaign.
    case superseded = 5
    /// An operator cancelled the campaign.
    case cancelled = 6
    /// Left out on purpose.
    case skipped = 7

    /// The contract's name, for example `accepted`.
    public var name: String {
        switch self {
        case .accepted: "accepted"
        case .invalid: "invalid"
        case .failed: "failed"
        case .expired: "expired"
        case .superseded: "superseded"
        case .cancelled: "cancelled"
        case .skipped: "skipped"
        }
    }
}

/// The number of devices with each outcome.
public struct OutcomeCounts: Equatable, Sendable {
    /// Devices for which the provider accepted the push.
    public var accepted = 0
    /// Devices with a dead token.
    public var invalid = 0
    /// Devices that were given up.
    public var failed = 0
    /// Devices for which it was too late.
    public var expired = 0
    /// Devices for which a newer campaign replaced this one.
    public var superseded = 0
    /// Devices of a cancelled campaign to which nothing was sent.
    public var cancelled = 0
    /// Devices left out on purpose.
    public var skipped = 0

    /// Creates counts of 0.
    public init() {}

    /// The count of an outcome.
    public subscript(outcome: Outcome) -> Int {
        get {
            switch outcome {
            case .accepted: accepted
            case .invalid: invalid
            case .failed: failed
            case .expired: expired
            case .superseded: superseded
            case .cancelled: cancelled
            case .skipped: skipped
            }
        }
        set {
            switch outcome {
            case .accepted: accepted = newValue
            case .invalid: invalid = newValue
            case .failed: failed = newValue
            case .expired: expired = newValue
            case .superseded: superseded = newValue
            case .cancelled: cancelled = newValue
            case .skipped: skipped = newValue
            }
        }
    }

    /// The number of all devices that have an outcome.
    public var total: Int {
        accepted + invalid + failed + expired + superseded + cancelled + skipped
    }

    /// Adds another count, outcome by outcome.
    public static func += (left: inout OutcomeCounts, right: OutcomeCounts) {
        for outcome in Outcome.allCases { left[outcome] += right[outcome] }
    }
}
