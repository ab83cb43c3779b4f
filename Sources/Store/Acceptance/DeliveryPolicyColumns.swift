import Campaigns

/// A job's scalars in its campaign's row.
extension DeliveryPolicy {
    /// The columns, for a query.
    static let columns = DeliveryPolicy().row.map(\.column).joined(separator: ", ")

    /// The columns with their values, for a new row.
    var row: [(column: String, value: SQLValue)] {
        [
            ("urgency", .text(urgency.rawValue)),
            ("drop_if_offline", .bool(dropIfOffline)),
            ("max_attempts", .int(maxAttempts)),
            ("drop_unknown", .bool(dropUnknown)),
        ]
    }

    /// Reads a row; nil if this version does not know the urgency.
    init?(_ rows: borrowing Rows) {
        guard let urgency: Urgency = rows.value("urgency") else { return nil }
        self.init(
            urgency: urgency,
            dropIfOffline: rows.bool("drop_if_offline"),
            maxAttempts: rows.uint32("max_attempts"),
            dropUnknown: rows.bool("drop_unknown")
        )
    }
}
