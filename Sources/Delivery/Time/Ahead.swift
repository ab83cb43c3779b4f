public import Campaigns

/// The furthest that an instant in the ledger can be ahead of now, by its kind.
///
/// An instant further ahead was written by a wrong clock, and counts as passed. Otherwise everything that waits for it
/// would wait until the clock is as wrong again.
public enum Ahead: Sendable {
    /// The instant of a past action: a row's `since`, or a worker's last report.
    case done
    /// A planner's lease of a campaign.
    case lease
    /// A worker's hold on a webhook.
    case webhookLease
    /// The pause before a webhook is tried again.
    case webhookCooldown
    /// The lease of a breaker's probe.
    case probe
    /// A breaker's cooldown before its next probe.
    case breakerCooldown
    /// The wait of a retry.
    case rung

    /// The tolerated difference between two workers' shared times; a worker further off reports it (`ClockStanding`).
    public static let tolerance = ClockStanding.toldFrom
    /// The time that a planner has a campaign without renewing its lease.
    public static let leaseLength = Duration.seconds(3)
    /// The time that a worker has a webhook.
    public static let webhookLeaseLength = Duration.seconds(15)

    /// The longest wait of this kind, without the tolerance.
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

    /// Returns the latest plausible instant; later ones count as passed.
    public func limit(_ now: Timestamp) -> Timestamp { now.advanced(by: longest + Self.tolerance) }

    /// Returns true if an instant has come, or is implausible.
    public func isPassed(_ instant: Timestamp, now: Timestamp) -> Bool { instant <= now || instant > limit(now) }
}
