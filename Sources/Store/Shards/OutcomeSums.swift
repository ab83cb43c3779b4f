import Campaigns

/// The outcomes of several rows of `shards s`, summed by the query.
enum OutcomeSums {
    /// The columns that `counts(_:)` reads.
    static let columns = Outcome.allCases.map { "coalesce(sum(s.\($0.name)), 0) AS \($0.name)" }.joined(separator: ", ")

    static func counts(_ rows: borrowing Rows) -> OutcomeCounts {
        var counts = OutcomeCounts()
        counts.accepted = rows.int("accepted")
        counts.invalid = rows.int("invalid")
        counts.failed = rows.int("failed")
        counts.expired = rows.int("expired")
        counts.superseded = rows.int("superseded")
        counts.cancelled = rows.int("cancelled")
        counts.skipped = rows.int("skipped")
        return counts
    }
}
