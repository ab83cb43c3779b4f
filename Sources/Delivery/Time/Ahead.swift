public import Campaigns

/// How far ahead of now an instant of each kind can be that the ledger keeps.
///
/// One that is further ahead was written by a clock that was wrong, and counts as passed: otherwise whatever waits for it
/// would wait until the clock is as wrong again.
public enum Ahead: Sendable {
    /// What was done has been done: a row's `since`, when a worker was last seen.
    case done
    /// A planner's lease of a campaign.
    case lease
    /// A worker's hold on a webhook.
    case webhookLease
    /// The pause until a webhook is tried again.
    case webhookCooldown
    /// The time of a breaker's probe.
    case probe
    /// A breaker's rest until its next probe.
    case breakerCooldown
    /// What a retry waits for.
    case rung

    /// What the shared times of two workers may differ by; a worker that is further off says so (`ClockStanding`).
    public static let tolerance = ClockStanding.toldFrom
    /// How long a planner has a campaign without renewing its lease.
    public static let leaseLength = Duration.seconds(3)
    /// How long a worker has a webhook.
    public static let webhookLeaseLength = Duration.seconds(15)

    /// The longest that there is, without the tolerance.
    public var longest: Duration {
        switch self {
        case .done: .zero
        case .lease: Self.leaseLength
        case .webhookLease: Self.webhookLeaseLength
        case .webhookCooldown: WebhookState.patience
        case .probe: Breaker.probeLease
        case .breakerCooldown: Breaker.askedRestMax
        case .rung: RungQueue(rung: .hours2, side: .b).delay
        }
    }

    /// The latest instant that can be meant; later ones have passed.
    public func limit(_ now: Timestamp) -> Timestamp { now.advanced(by: longest + Self.tolerance) }

    /// Whether an instant has come, or cannot be meant.
    public func isPassed(_ instant: Timestamp, now: Timestamp) -> Bool { instant <= now || instant > limit(now) }
}
