/// The facts that acceptance needs about an in-app campaign, in addition to those of every campaign.
public struct NewInApp: Sendable, Equatable {
    /// The list whose devices are left out; nil if the job leaves out none, or leaves out others.
    public var excludedList: UInt32?

    /// The facts that are known at acceptance.
    public init(excludedList: UInt32? = nil) {
        self.excludedList = excludedList
    }
}

extension LedgerTransaction {
    /// Accepts the in-app part of a campaign: it has no shards and is over only when it is ended.
    func beginInApp(_ campaign: UInt32, _ new: NewInApp, app: String, list: UInt32) throws(LedgerError) {
        try db.run("UPDATE campaigns SET in_app = 1 WHERE number = ?1", .int(campaign))
        try db.run(
            "INSERT INTO in_app_campaigns (campaign, app, excluded, prepared) VALUES (?1, ?2, ?3, ?4)",
            .int(campaign),
            .text(app),
            .int(new.excludedList),
            .bool(list == 0 && new.excludedList == nil)
        )
    }

    /// Ends an in-app campaign: no device receives its message any more.
    func endInApp(_ campaign: UInt32) throws(LedgerError) {
        try db.run("UPDATE in_app_campaigns SET ended = 1 WHERE campaign = ?1", .int(campaign))
        try db.run("DELETE FROM in_app_tokens WHERE campaign = ?1", .int(campaign))
    }

    /// Removes some rows of an in-app campaign that is being removed; returns true if there may be more.
    func forgetInApp(_ campaign: UInt32, rowsMax: Int) throws(LedgerError) -> Bool {
        for table in ["in_app_given", "in_app_displays"] {
            let removed = try db.run(
                """
                DELETE FROM \(table) WHERE campaign = ?1
                    AND device IN (SELECT device FROM \(table) WHERE campaign = ?1 ORDER BY device LIMIT ?2)
                """,
                .int(campaign),
                .int(rowsMax)
            )
            guard removed < rowsMax else { return true }
        }
        try db.run("DELETE FROM in_app_campaigns WHERE campaign = ?1", .int(campaign))
        return false
    }
}
