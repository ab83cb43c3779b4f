public import Campaigns

/// One thing that a phone said of a campaign, for a person who asks what is known.
public struct TrackedFact: Sendable, Equatable {
    /// The campaign's id; nil of one that is purged.
    public var campaign: String?
    /// The surface's and the type's words; nil for a poll's answers.
    public var step: (surface: String, type: String)?
    /// The button or reason; a poll's answers as the phone sent them.
    public var detail: String
    /// When the phone says that it was.
    public var at: Timestamp

    /// Whether two say the same.
    public static func == (left: TrackedFact, right: TrackedFact) -> Bool {
        left.campaign == right.campaign && left.step?.surface == right.step?.surface
            && left.step?.type == right.step?.type && left.detail == right.detail && left.at == right.at
    }
}

/// Where a page of `trackedFacts` ended.
public struct TrackedFactPlace: Sendable {
    var campaign: Int64 = -1
    var step: Int64 = 0
    var device: Int64 = 0
    var detail = ""

    /// Before the first.
    public init() {}
}

extension LedgerReader {
    /// What one device of the registry said, among the next rows of all that phones said; `next` is nil behind the last.
    ///
    /// All rows are looked at, because writing them must not pay for a question that is asked once a month.
    public func trackedFacts(
        of number: Int64,
        after place: TrackedFactPlace,
        limit: Int = 20_000
    ) throws(LedgerError) -> (facts: [TrackedFact], next: TrackedFactPlace?) {
        let rows = try db.rows(
            """
            SELECT t.campaign, t.step, t.device, t.detail, t.registered, t.at, c.id
            FROM tracked t LEFT JOIN campaigns c ON c.number = t.campaign
            WHERE (t.campaign, t.step, t.device, t.detail) > (?1, ?2, ?3, ?4)
            ORDER BY t.campaign, t.step, t.device, t.detail LIMIT ?5
            """,
            .integer(place.campaign),
            .integer(place.step),
            .integer(place.device),
            .text(place.detail),
            .int(limit)
        )
        var (facts, last, seen): ([TrackedFact], TrackedFactPlace, Int) = ([], place, 0)
        while try rows.next() {
            seen += 1
            last.campaign = rows.int64(0)
            (last.step, last.device, last.detail) = (rows.int64(1), rows.int64(2), rows.text(3))
            guard rows.int64(4) == number, let step = TrackedStep(last.step) else { continue }
            facts.append(
                TrackedFact(
                    campaign: rows.optionalText(6),
                    step: (step.surface.word, step.type.word),
                    detail: last.detail,
                    at: rows.time(5)
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
        var facts: [TrackedFact] = []
        while try rows.next() {
            facts.append(TrackedFact(campaign: rows.optionalText(0), detail: rows.text(1), at: rows.time(2)))
        }
        return facts
    }
}
