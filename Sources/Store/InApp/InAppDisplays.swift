public import Campaigns

extension LedgerTransaction {
    /// Stores the latest instant at which a device displayed a campaign's in-app message.
    ///
    /// - Parameters:
    ///   - campaign: The campaign; ignored if it is over or not an in-app campaign.
    ///   - device: The number in the registry.
    ///   - at: The instant by the phone's clock, as far as that is trusted.
    public func noteInAppDisplay(campaign: UInt32, device: Int64, at: Timestamp) throws(LedgerError) {
        try db.run(
            """
            INSERT INTO in_app_displays (campaign, device, at)
            SELECT i.campaign, ?2, ?3 FROM in_app_campaigns i WHERE i.campaign = ?1 AND i.ended = 0
            ON CONFLICT (campaign, device) DO UPDATE SET at =
                CASE WHEN excluded.at > in_app_displays.at THEN excluded.at ELSE in_app_displays.at END
            """,
            .int(campaign),
            .integer(device),
            .time(at)
        )
    }
}

extension LedgerReader {
    /// The last instants at which a device displayed messages of live in-app campaigns, by the campaigns' numbers.
    public func inAppDisplays(device: Int64) throws(LedgerError) -> [UInt32: Timestamp] {
        let rows = try db.rows(
            """
            SELECT d.campaign, d.at FROM in_app_campaigns i
            JOIN in_app_displays d ON d.campaign = i.campaign AND d.device = ?1
            WHERE i.ended = 0
            """,
            .integer(device)
        )
        var displays: [UInt32: Timestamp] = [:]
        while try rows.next() { displays[rows.uint32("campaign")] = rows.time("at") }
        return displays
    }

    /// The stored jobs of some campaigns.
    public func storedJobs(_ campaigns: [UInt32]) throws(LedgerError) -> [UInt32: [UInt8]] {
        var jobs: [UInt32: [UInt8]] = [:]
        for campaign in campaigns {
            let rows = try db.rows("SELECT job FROM campaigns WHERE number = ?1", .int(campaign))
            if try rows.next() { jobs[campaign] = rows.blob("job") }
        }
        return jobs
    }
}
