/// The time since which the ledger has heard this process without a gap, and so could have heard every other one.
///
/// A worker that is silent while the ledger hears nobody is not dead: the ledger was stuck, unreachable or locked by
/// somebody. Confined to the worker's control loop; the caller passes the time.
public struct ReportSeries: Sendable {
    /// The longest interval between reports that is not a gap: two intervals of two seconds, and one second to spare.
    public static let gap = Duration.seconds(5)
    /// The time within which a live worker reports once the ledger hears again: an interval, a failed try and its
    /// pause.
    public static let patience = Duration.seconds(5)

    private var reports: (first: MonotonicInstant, last: MonotonicInstant)?

    /// The ledger has heard nothing yet.
    public init() {}

    /// Notes that the ledger took this worker's report.
    public mutating func reported(now: MonotonicInstant) {
        let isSeries = reports.map { now.since($0.last) <= Self.gap } ?? false
        reports = (isSeries ? reports?.first ?? now : now, now)
    }

    /// Returns true if another worker's silence means that it is dead.
    public func judgesSilence(now: MonotonicInstant) -> Bool {
        guard let reports else { return false }
        return now.since(reports.last) <= Self.gap && now.since(reports.first) >= Self.patience
    }
}
