public import Campaigns

/// One report of a phone about a campaign, for a person who asks for the stored data.
public struct TrackedFact: Sendable, Equatable {
    /// The campaign's id; nil for a purged campaign.
    public var campaign: String?
    /// The words of surface and type; nil for a poll's answers.
    public var step: (surface: String, type: String)?
    /// The button or reason, or a poll's answers as the phone sent them.
    public var detail: String
    /// The instant by the phone's clock.
    public var at: Timestamp

    /// Returns true if two facts are equal.
    public static func == (left: TrackedFact, right: TrackedFact) -> Bool {
        left.campaign == right.campaign && left.step?.surface == right.step?.surface
            && left.step?.type == right.step?.type && left.detail == right.detail && left.at == right.at
    }
}

/// The position at which a page of `trackedFacts` ended.
public struct TrackedFactCursor: Sendable {
    var campaign: Int64 = -1
    var step: Int64 = 0
    var device: Int64 = 0
    var detail = ""

    /// The position before the first row.
    public init() {}
}

extension LedgerReader {
    /// One device's reports among the next rows of all phones; `next` is nil after the last row.
    ///
    /// This reads all rows, because an index for a question asked once a month would burden every write.
    public func trackedFacts(
        of number: Int64,
        after cursor: TrackedFactCursor,
        limit: Int = 20_000
    ) throws(LedgerError) -> (facts: [TrackedFact], next: TrackedFactCursor?) {
        let rows = try db.rows(
            """
            SELECT t.campaign, t.step, t.device, t.detail, t.registered, t.at, c.id
            FROM tracked t LEFT JOIN campaigns c ON c.number = t.campaign
            WHERE (t.campaign, t.step, t.device, t.detail) > (?1, ?2, ?3, ?4)
            ORDER BY t.campaign, t.step, t.device, t.detail LIMIT ?5
            """,
            .integer(cursor.campaign),
            .integer(cursor.step),
            .integer(cursor.device),
            .text(cursor.detail),
            .int(limit)
        )
        var (facts, last, seen): ([TrackedFact], TrackedFactCursor, Int) = ([], cursor, 0)
        while try rows.next() {
            seen += 1
            last.campaign = rows.int64("campaign")
            (last.step, last.device, last.detail) = (rows.int64("step"), rows.int64("device"), rows.text("detail"))
            guard rows.int64("registered") == number, let step = TrackedStep(last.step) else { continue }
            facts.append(
                TrackedFact(
                    campaign: rows.optionalText("id"),
                    step: (step.surface.word, step.type.word),
                    detail: last.detail,
                    at: rows.time("at")
                )
            )
        }
        return (facts, seen == limit ? last : nil)
    }

    /// A device's answers to polls.
    public func pollFacts(of number: Int64) throws(LedgerError) -> [TrackedFact] {
        let rows = try db.rows(
            """
            SELECT c.id, p.answers, p.at FROM poll_answers p LEFT JOIN campaigns c ON c.number = p.campaign
            WHERE p.registered = ?1 ORDER BY p.campaign
            """,
            .integer(number)
        )
        return try rows.map { row in
            TrackedFact(campaign: row.optionalText("id"), detail: row.text("answers"), at: row.time("at"))
        }
    }
}
