public import Campaigns

extension LedgerReader {
    /// The numbers of devices by step and answer of a campaign: a few dozen rows for campaigns of any size.
    public func funnel(campaign: UInt32) throws(LedgerError) -> Funnel {
        var funnel = Funnel()
        let steps = try db.rows(
            "SELECT step, detail, devices FROM tracking_totals WHERE campaign = ?1",
            .int(campaign)
        )
        while try steps.next() {
            guard let step = TrackedStep(steps.int64("step")) else { continue }
            funnel.devices[Funnel.Step(step.surface, step.type, steps.text("detail"))] = steps.int("devices")
        }
        let choices = try db.rows(
            "SELECT question, choice, devices FROM poll_totals WHERE campaign = ?1",
            .int(campaign)
        )
        while try choices.next() {
            if choices.text("question").isEmpty {
                funnel.answered = choices.int("devices")
            } else {
                funnel.choices[choices.text("question"), default: [:]][choices.text("choice")] = choices.int("devices")
            }
        }
        return funnel
    }

    /// A campaign's job as its producer wrote it, without its devices, as JSON; nil if there is no such campaign.
    public func storedJob(campaign: UInt32) throws(LedgerError) -> [UInt8]? {
        let rows = try db.rows("SELECT job FROM campaigns WHERE number = ?1", .int(campaign))
        return try rows.next() ? rows.blob("job") : nil
    }

    /// The next devices that match a segment's question about a campaign, by their numbers in the registry.
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - campaign: The campaign that it is about.
    ///   - since: The first instant of events that count; nil for all.
    ///   - until: The last one.
    ///   - cursor: The end of the previous page; nil at the beginning.
    ///   - limit: The most devices of a page.
    /// - Returns: The devices; `next` is nil after the last page.
    public func devices(
        answering question: TrackedQuestion,
        campaign: UInt32,
        since: Timestamp?,
        until: Timestamp,
        after cursor: TrackedCursor?,
        limit: Int = 20_000
    ) throws(LedgerError) -> (registered: [Int64], next: TrackedCursor?) {
        let cursor = cursor ?? TrackedCursor(surface: 0, device: -1)
        let since = SQLValue.time(since ?? Timestamp(milliseconds: .min))
        let rows: Rows
        switch question.deed {
        case .answered:
            rows = try db.rows(
                """
                SELECT device, registered FROM poll_answers
                WHERE campaign = ?1 AND device > ?2 AND at >= ?3 AND at <= ?5 ORDER BY device LIMIT ?4
                """,
                .int(campaign),
                .integer(cursor.device),
                since,
                .int(limit),
                .time(until)
            )
        case .type(let type):
            let surface = TrackedSurface.allCases[cursor.surface]
            rows = try db.rows(
                """
                SELECT device, registered FROM tracked
                WHERE campaign = ?1 AND step = ?2 AND device > ?3 AND detail = ?4 AND at >= ?5 AND at <= ?7
                ORDER BY device LIMIT ?6
                """,
                .int(campaign),
                .integer(TrackedStep(surface, type).number),
                .integer(cursor.device),
                .text(question.action ?? ""),
                since,
                .int(limit),
                .time(until)
            )
        }
        var (found, last): ([Int64], Int64) = ([], cursor.device)
        while try rows.next() {
            last = rows.int64("device")
            found.append(rows.int64("registered"))
        }
        if found.count == limit { return (found, TrackedCursor(surface: cursor.surface, device: last)) }
        if question.deed == .answered || cursor.surface + 1 == TrackedSurface.allCases.count { return (found, nil) }
        return (found, TrackedCursor(surface: cursor.surface + 1, device: -1))
    }
}

/// The position at which a page of `devices(answering:)` ended.
public struct TrackedCursor: Sendable, Equatable {
    var surface: Int
    var device: Int64
}

extension LedgerTransaction {
    /// Removes some rows of single phones of a campaign that is long over or gone; returns true if there may be more.
    ///
    /// The totals are removed after the campaign's row.
    public func purgeTracking(campaign: UInt32, rowsMax: Int = 500) throws(LedgerError) -> Bool {
        let steps = try db.run(
            """
            DELETE FROM tracked WHERE campaign = ?1 AND (step, device, detail) IN (
                SELECT step, device, detail FROM tracked WHERE campaign = ?1 ORDER BY step, device, detail LIMIT ?2
            )
            """,
            .int(campaign),
            .int(rowsMax)
        )
        if steps == rowsMax { return true }
        let answers = try db.run(
            """
            DELETE FROM poll_answers WHERE campaign = ?1 AND device IN (
                SELECT device FROM poll_answers WHERE campaign = ?1 ORDER BY device LIMIT ?2
            )
            """,
            .int(campaign),
            .int(rowsMax)
        )
        if answers == rowsMax { return true }
        if try reader.campaign(campaign) == nil {
            try db.run("DELETE FROM tracking_totals WHERE campaign = ?1", .int(campaign))
            try db.run("DELETE FROM poll_totals WHERE campaign = ?1", .int(campaign))
        }
        return false
    }
}

extension LedgerReader {
    /// The next campaign with rows of single phones that are too old, or with rows although it is gone.
    public func trackingToPurge(
        after number: Int64,
        completedBefore end: Timestamp
    ) throws(LedgerError) -> UInt32? {
        var number = number
        while let next = try nextTracked(after: number) {
            number = next
            let rows = try db.rows("SELECT completed_at FROM campaigns WHERE number = ?1", .integer(number))
            guard try rows.next() else { return UInt32(truncatingIfNeeded: number) }
            if let completed = rows.optionalTime("completed_at"), completed <= end {
                return UInt32(truncatingIfNeeded: number)
            }
        }
        return nil
    }

    private func nextTracked(after number: Int64) throws(LedgerError) -> Int64? {
        let found = [
            try db.number("SELECT min(campaign) FROM tracked WHERE campaign > ?1", .integer(number)),
            try db.number("SELECT min(campaign) FROM poll_answers WHERE campaign > ?1", .integer(number)),
            try db.number(
                """
                SELECT min(t.campaign) FROM tracking_totals t
                WHERE t.campaign > ?1 AND NOT EXISTS (SELECT 1 FROM campaigns c WHERE c.number = t.campaign)
                """,
                .integer(number)
            ),
        ]
        return found.compactMap(\.self).min()
    }
}
