/// Where a device ended.
///
/// Until then it is pending.
public enum Outcome: UInt8, Sendable, CaseIterable {
    /// The provider took it.
    case accepted = 1
    /// The provider says that the token is dead.
    case invalid = 2
    /// Given up, not for the token's sake.
    case failed = 3
    /// Too late to be of use.
    case expired = 4
    /// A newer campaign took its place.
    case superseded = 5
    /// An operator stopped the campaign.
    case cancelled = 6
    /// Left out on purpose.
    case skipped = 7

    /// The word of the contract, for example `accepted`.
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

/// How many devices ended where.
public struct OutcomeCounts: Equatable, Sendable {
    /// Devices that the provider took.
    public var accepted = 0
    /// Devices with a dead token.
    public var invalid = 0
    /// Devices given up.
    public var failed = 0
    /// Devices for which it was too late.
    public var expired = 0
    /// Devices for which a newer campaign came.
    public var superseded = 0
    /// Devices of a cancelled campaign that were not sent to.
    public var cancelled = 0
    /// Devices left out on purpose.
    public var skipped = 0

    /// No device anywhere.
    public init() {}

    /// The number for an outcome.
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

    /// All devices that have an outcome.
    public var total: Int {
        accepted + invalid + failed + expired + superseded + cancelled + skipped
    }

    /// Adds another count, outcome by outcome.
    public static func += (left: inout OutcomeCounts, right: OutcomeCounts) {
        for outcome in Outcome.allCases { left[outcome] += right[outcome] }
    }
}
