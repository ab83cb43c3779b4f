public import Campaigns
import Delivery

/// The end of Live Activities.
extension LedgerTransaction {
    /// Notes that a completed campaign has ended an activity: the tokens that were there when it began take no more
    /// updates, and a new activity of the same name begins with new ones.
    ///
    /// It is one row, however many follow: their tokens are removed later, piece by piece.
    func endActivity(of campaign: CampaignFacts) throws(LedgerError) {
        guard campaign.endedAs == nil, campaign.supersededBy == nil, !campaign.isRepeated else { return }
        let rows = try db.rows(
            """
            SELECT job, coalesce(started_at, accepted_at) AS since FROM campaigns
            WHERE number = ?1 AND push_type = \(PushType.liveactivity.sql)
            """,
            .int(campaign.number)
        )
        guard try rows.next() else { return }
        let (job, since) = (try? Job(stored: rows.blob("job")), rows.int64("since"))
        guard let name = job?.endedActivity, let app = try reader.registryApp(campaign.app)?.number else { return }
        try db.run(
            """
            INSERT INTO ended_activities (app, type, activity, at) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (app, type, activity) DO UPDATE SET at = excluded.at WHERE excluded.at > ended_activities.at
            """,
            .integer(app),
            .text(name.type),
            .text(name.id),
            .integer(since)
        )
    }

    /// Removes some tokens of activities that are over for their age, and some notes of ends that no token is left of;
    /// returns the number of removed rows.
    ///
    /// Apple ends an activity after eight hours and takes it off the screen four hours later at the latest.
    public func purgeActivities(now: Timestamp, max: Int = 500) throws(LedgerError) -> Int {
        let tokens = try db.run(
            """
            DELETE FROM activity_tokens WHERE (device, type, activity) IN (
                SELECT device, type, activity FROM activity_tokens WHERE activity <> '' AND at < ?1 LIMIT ?2
            )
            """,
            .time(now.advanced(by: .zero - ActivityToken.life)),
            .int(max)
        )
        let ends = try db.run(
            """
            DELETE FROM ended_activities WHERE (app, type, activity) IN (
                SELECT app, type, activity FROM ended_activities WHERE at < ?1 LIMIT ?2
            )
            """,
            .time(now.advanced(by: .zero - ActivityToken.life * 2)),
            .int(max)
        )
        return tokens + ends
    }
}
