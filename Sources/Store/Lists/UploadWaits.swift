public import Campaigns
import Delivery

/// Campaigns that wait for an upload (`UploadWait`).
extension LedgerTransaction {
    /// Lets a campaign wait for an upload; part of the acceptance.
    func beginUploadWait(
        _ campaign: UInt32,
        app: String,
        upload: String,
        excluding excluded: UInt32?,
        _ atMost: Int?,
        now: Timestamp
    ) throws(LedgerError) {
        try db.run(
            "INSERT INTO upload_waits (campaign, app, upload, excluded, at_most) VALUES (?1, ?2, ?3, ?4, ?5)",
            .int(campaign),
            .text(app),
            .text(upload),
            .int(excluded),
            .int(atMost)
        )
        // It may be complete already.
        try settleUploadWaits(now: now)
    }

    /// Ends the waiting of campaigns whose uploads are complete or gone; a few hundred at most.
    public func settleUploadWaits(now: Timestamp) throws(LedgerError) {
        for wait in try reader.uploadWaits() { _ = try settle(wait, now: now) }
    }

    /// Ends the waiting of all campaigns for an upload that is complete or gone, so that none of them meets another
    /// upload under its id.
    func settleUploadWaits(of upload: String, app: String, now: Timestamp) throws(LedgerError) {
        while true {
            var settled = 0
            for wait in try reader.uploadWaits(of: upload, app: app) where try settle(wait, now: now) { settled += 1 }
            guard settled > 0 else { return }
        }
    }

    /// Returns false if the campaign waits on.
    private func settle(_ wait: UploadWaitRow, now: Timestamp) throws(LedgerError) -> Bool {
        switch UploadWait.decide(wait.standing, isOver: wait.isOver) {
        case .wait: return false
        case .bind: try bind(wait)
        case .fail: try fail(wait, now: now)
        case .drop: break
        }
        try db.run("DELETE FROM upload_waits WHERE campaign = ?1", .int(wait.campaign))
        try bumpRevision()
        return true
    }

    /// Ends a campaign's waiting because the campaign ends; returns false if it waits for no upload.
    func endUploadWait(_ campaign: UInt32) throws(LedgerError) -> Bool {
        let ended = try db.run("DELETE FROM upload_waits WHERE campaign = ?1", .int(campaign))
        guard ended == 1 else { return false }
        try db.run(
            """
            UPDATE campaigns SET stage = \(CampaignStage.scheduled.sql)
            WHERE number = ?1 AND stage = \(CampaignStage.planning.sql)
            """,
            .int(campaign)
        )
        return true
    }

    /// Gives the campaign the list that the upload is: from here on it is an audience to be frozen like any other.
    private func bind(_ wait: UploadWaitRow) throws(LedgerError) {
        guard let record = try reader.list(number: wait.list) else { return }
        try beginFrozen(
            wait.campaign,
            source: record.number,
            excluding: wait.excluded,
            duplicates: record.duplicates,
            wait.atMost
        )
    }

    private func fail(_ wait: UploadWaitRow, now: Timestamp) throws(LedgerError) {
        let reason = UploadWait.failure(upload: wait.upload)
        try note(.failed, campaign: wait.campaign, ["reason": .string(reason)], now: now)
        try db.run(
            """
            UPDATE campaigns SET stage = \(CampaignStage.failed.sql), failure = ?2, completed_at = ?3, lease_owner = 0
            WHERE number = ?1
            """,
            .int(wait.campaign),
            .text(reason),
            .time(now)
        )
    }
}

/// A campaign that waits, with what is known of its upload.
struct UploadWaitRow {
    var campaign: UInt32
    var upload: String
    var list: UInt32
    var excluded: UInt32?
    var atMost: Int?
    var standing: UploadStanding
    var isOver: Bool
}

extension LedgerReader {
    /// The id of the upload that a campaign waits for; nil if it waits for none.
    public func awaitedUpload(of campaign: UInt32) throws(LedgerError) -> String? {
        let rows = try db.rows("SELECT upload FROM upload_waits WHERE campaign = ?1", .int(campaign))
        return try rows.next() ? rows.text("upload") : nil
    }

    /// The campaigns whose waiting is over; without an upload, those of all.
    func uploadWaits(
        of upload: String? = nil,
        app: String? = nil,
        limit: Int = 200
    ) throws(LedgerError) -> [UploadWaitRow] {
        let rows = try db.rows(
            """
            SELECT w.campaign, w.upload, w.excluded, w.at_most, u.list, l.state, c.number, c.completed_at, c.rest_outcome
            FROM upload_waits w
                LEFT JOIN campaigns c ON c.number = w.campaign
                LEFT JOIN uploads u ON u.app = w.app AND u.id = w.upload
                LEFT JOIN lists l ON l.number = u.list
            WHERE (?1 IS NULL OR (w.upload = ?1 AND w.app = ?2)) AND (
                l.state IS NULL OR l.state <> \(ListState.begun.sql) OR c.completed_at IS NOT NULL OR c.number IS NULL
            )
            ORDER BY w.campaign LIMIT ?3
            """,
            .text(upload),
            .text(app),
            .int(limit)
        )
        return try rows.map(UploadWaitRow.init)
    }
}

extension UploadWaitRow {
    fileprivate init(_ rows: borrowing Rows) {
        campaign = rows.uint32("campaign")
        upload = rows.text("upload")
        list = rows.optionalUInt32("list") ?? 0
        excluded = rows.optionalUInt32("excluded")
        atMost = rows.optionalInt64("at_most").map { Int($0) }
        standing = ListState.standing(rows.optionalInt64("state"))
        isOver =
            rows.optionalInt64("number") == nil || rows.optionalInt64("completed_at") != nil
            || rows.optionalInt64("rest_outcome") != nil
    }
}
