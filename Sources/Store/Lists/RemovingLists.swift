/// The result of removing a list.
public enum ListRemoval: Sendable, Equatable {
    /// The list is not visible any more; its devices are removed piece by piece.
    case removed
    /// This campaign (`APP/ID`) was accepted with the list, which stays as long as the campaign.
    case used(by: String)
    /// The list does not exist.
    case missing
}

/// The condition for lists that nobody needs, in a query with the rows `lists l`.
enum UnusedLists {
    static let condition = """
        NOT EXISTS (SELECT 1 FROM campaigns c WHERE c.list = l.number)
            AND NOT EXISTS (SELECT 1 FROM frozen_audiences f WHERE f.source = l.number OR f.excluded = l.number)
            AND NOT EXISTS (SELECT 1 FROM audience_flows w WHERE w.excluded = l.number)
            AND NOT EXISTS (SELECT 1 FROM upload_waits u WHERE u.excluded = l.number)
            AND NOT EXISTS (SELECT 1 FROM repeats r WHERE r.excluded = l.number AND r.next_at IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM in_app_campaigns i WHERE i.excluded = l.number)
        """
}

extension LedgerTransaction {
    /// Removes a version of a list if no campaign uses it.
    public func removeList(_ number: UInt32) throws(LedgerError) -> ListRemoval {
        guard try reader.list(number: number) != nil else { return .missing }
        let removed = try db.run(
            """
            UPDATE lists SET state = \(ListState.removed.sql), touched_at = 0
            WHERE number = ?1 AND number IN (SELECT l.number FROM lists l WHERE l.number = ?1 AND \(UnusedLists.condition))
            """,
            .int(number)
        )
        guard removed == 0 else {
            try bumpRevision()
            return .removed
        }
        return .used(by: try reader.user(ofList: number) ?? "")
    }
}

extension LedgerReader {
    /// Returns the result that `removeList` would have.
    public func foreseeRemoval(ofList number: UInt32) throws(LedgerError) -> ListRemoval {
        guard try list(number: number) != nil else { return .missing }
        let isUnused = try db.number(
            "SELECT 1 FROM lists l WHERE l.number = ?1 AND \(UnusedLists.condition)",
            .int(number)
        )
        return isUnused == nil ? .used(by: try user(ofList: number) ?? "") : .removed
    }

    /// The latest campaign that needs a list.
    fileprivate func user(ofList number: UInt32) throws(LedgerError) -> String? {
        let rows = try db.rows(
            """
            SELECT c.app, c.id FROM campaigns c WHERE c.list = ?1
                OR c.number IN (SELECT f.campaign FROM frozen_audiences f WHERE f.source = ?1 OR f.excluded = ?1)
                OR c.number IN (SELECT w.campaign FROM audience_flows w WHERE w.excluded = ?1)
                OR c.number IN (SELECT u.campaign FROM upload_waits u WHERE u.excluded = ?1)
                OR c.number IN (SELECT r.campaign FROM repeats r WHERE r.excluded = ?1)
                OR c.number IN (SELECT i.campaign FROM in_app_campaigns i WHERE i.excluded = ?1)
            ORDER BY c.number DESC LIMIT 1
            """,
            .int(number)
        )
        return try rows.next() ? "\(rows.text("app"))/\(rows.text("id"))" : nil
    }
}
