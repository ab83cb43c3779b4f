public import Campaigns

/// The end of a row as the ledger writes it: its own columns, and the rows of the devices that continue.
public struct RowSettling: Sendable, Equatable {
    /// The row as it was read.
    public let record: ShardRecord
    /// The settlement of its devices.
    public let settlement: Settlement
    /// The reason for which the held devices wait.
    private let heldReason: AsideReason

    /// The end of a row.
    ///
    /// `campaign` is as it stands in the same transaction; nil for rows of which no device can be held back.
    public init(_ record: ShardRecord, _ settlement: Settlement, of campaign: CampaignFacts?) {
        self.record = record
        self.settlement = settlement
        // The guard's decision about the other devices also applies to those that come later.
        heldReason = campaign?.pausedBy.contains(.wrongEnvironment) == true ? .wrongEnvironment : .guard
    }

    /// The end of a row whose devices without an outcome all get this one; throws if they cannot be counted.
    public init(_ record: ShardRecord, endingAs outcome: Outcome, reason: String? = nil) throws(UnlawfulShard) {
        guard let settlement = record.ended(outcome, reason: reason) else { throw UnlawfulShard(id: record.id) }
        self.init(record, settlement, of: nil)
    }

    /// The end of a row of held devices, once the guard has no objection.
    public init(_ record: ShardRecord, endingHeldAs outcome: Outcome) throws(UnlawfulShard) {
        var progress = record.progress
        progress.endHeld(outcome)
        guard let settlement = Settlement.make(progress: progress, attempt: record.attempt) else {
            throw UnlawfulShard(id: record.id)
        }
        self.init(record, settlement, of: nil)
    }

    /// The row afterwards.
    public var row: ShardRecord {
        var row = record
        (row.state, row.owner, row.aside) = (.settled, 0, nil)
        row.progress = settlement.progress
        return row
    }

    /// True if rows follow, whose numbers begin after the last one of the shard's.
    public var hasChildren: Bool { !settlement.retries.isEmpty || !settlement.held.isEmpty }

    /// The rows that follow: one for each retry, and one for the held devices.
    ///
    /// - Parameters:
    ///   - last: The highest number of the shard's rows.
    ///   - now: The instant of the settlement, from which the rungs count.
    public func children(behind last: UInt32, now: Timestamp) -> [ShardRecord] {
        var number = last
        var rows: [ShardRecord] = []
        for retry in settlement.retries {
            number += 1
            rows.append(record.child(retry, number: number, now: now))
        }
        guard !settlement.held.isEmpty else { return rows }
        let notes = settlement.progress.notes
        rows.append(record.heldChild(settlement.held, number: number + 1, reason: heldReason, notes: notes))
        return rows
    }
}
