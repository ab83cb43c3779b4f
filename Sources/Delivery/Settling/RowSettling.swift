public import Campaigns

/// The end of a row as the ledger writes it: its own columns, and the rows of the devices that go on.
public struct RowSettling: Sendable, Equatable {
    /// The row as it was read.
    public let record: ShardRecord
    /// How its devices end.
    public let settlement: Settlement
    /// Why the devices wait that the guard holds back.
    private let heldReason: AsideReason

    /// The end of a row; `campaign` as it stands in the same transaction, nil for rows of which none can be held back.
    public init(_ record: ShardRecord, _ settlement: Settlement, of campaign: CampaignFacts?) {
        self.record = record
        self.settlement = settlement
        // What the guard has decided of the others goes for those that come later.
        heldReason = campaign?.pausedBy.contains(.wrongEnvironment) == true ? .wrongEnvironment : .guard
    }

    /// The end of a row all of whose devices without an outcome get this one; throws when they cannot be counted.
    public init(_ record: ShardRecord, endingAs outcome: Outcome, reason: String? = nil) throws(UnlawfulShard) {
        guard let settlement = record.ended(outcome, reason: reason) else { throw UnlawfulShard(id: record.id) }
        self.init(record, settlement, of: nil)
    }

    /// The end of a row of what the guard held back, when it has nothing against that any more.
    public init(_ record: ShardRecord, endingHeldAs outcome: Outcome) throws(UnlawfulShard) {
        var progress = record.progress
        progress.endHeld(outcome)
        guard let settlement = Settlement.make(progress: progress, attempt: record.attempt) else {
            throw UnlawfulShard(id: record.id)
        }
        self.init(record, settlement, of: nil)
    }

    /// The row as it stands afterwards.
    public var row: ShardRecord {
        var row = record
        (row.state, row.owner, row.aside) = (.settled, 0, nil)
        row.progress = settlement.progress
        return row
    }

    /// Whether rows follow, whose numbers begin behind the last one of the shard's.
    public var hasChildren: Bool { !settlement.retries.isEmpty || !settlement.held.isEmpty }

    /// The rows that follow: one for each retry, and one for what the guard holds back.
    ///
    /// - Parameters:
    ///   - last: The highest number that a row of the shard has.
    ///   - now: When the shard is settled: the rungs count from here.
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
