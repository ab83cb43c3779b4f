/// The time since which the ledger has heard this process without a gap, and so could have heard every other one.
///
/// A worker that is silent while the ledger hears nobody is not dead: the ledger stood still, was away, or was kept by
/// somebody. Confined to the worker's control loop; the clock is handed in.
public struct LedgerHearing: Sendable {
    /// Reports that are further apart have a gap between them: two intervals of two seconds, and one to spare.
    public static let gap = Duration.seconds(5)
    /// A worker that lives has reported by then once the ledger hears again: an interval, a failed try and its pause.
    public static let patience = Duration.seconds(5)

    private var reports: (first: MonotonicInstant, last: MonotonicInstant)?

    /// The ledger has heard nothing yet.
    public init() {}

    /// The ledger took this worker's report.
    public mutating func reported(now: MonotonicInstant) {
        let isSeries = reports.map { now.since($0.last) <= Self.gap } ?? false
        reports = (isSeries ? reports?.first ?? now : now, now)
    }

    /// Whether another worker's silence says that it is dead.
    public func judgesSilence(now: MonotonicInstant) -> Bool {
        guard let reports else { return false }
        return now.since(reports.last) <= Self.gap && now.since(reports.first) >= Self.patience
    }
}
