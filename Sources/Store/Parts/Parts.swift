public import Campaigns

/// The share of a campaign whose devices have a time zone, as acceptance takes it.
public struct NewPart: Sendable, Equatable {
    /// The zone as the list has it; nil for devices that say none.
    public var timeZone: String?
    /// When it begins and ends.
    public var times: PartTimes

    /// A part.
    public init(timeZone: String?, times: PartTimes) {
        self.timeZone = timeZone
        self.times = times
    }
}

/// A part of a campaign as `campaign status` shows it.
public struct PartStatus: Sendable, Equatable {
    /// nil for devices that say none.
    public var timeZone: String?
    /// Not before this instant.
    public var releaseAt: Timestamp
    /// After this instant no request is made.
    public var expiresAt: Timestamp
    /// Its devices.
    public var devices: Int
    /// Those that are in no shard yet.
    public var unplanned: Int
    /// When its quiet hours end; nil outside of them.
    public var quietUntil: Timestamp?
    /// Outcomes of its settled shards.
    public var counts = OutcomeCounts()
}

/// A part of which something may be cut now.
struct OpenPart {
    var number: Int
    /// The next position in `chunk_order`, and the one behind its last.
    var cursor: UInt32
    var end: UInt32
    var expiresAt: Timestamp
}

extension LedgerTransaction {
    /// Puts the chunks of a campaign into the order in which its parts are released; each part's cursor walks along it.
    func writeParts(_ parts: [NewPart], campaign: UInt32, list: UInt32, now: Timestamp) throws(LedgerError) {
        let sorted = parts.sorted { $0.times.releaseAt < $1.times.releaseAt }
        var numbers: [String: Int] = [:]
        for (number, part) in sorted.enumerated() { numbers[part.timeZone ?? ""] = number }
        let rows = try db.rows(
            "SELECT ordinal, count, time_zone FROM chunks WHERE list = ?1 ORDER BY ordinal",
            .int(list)
        )
        var chunks: [[(ordinal: UInt32, count: Int)]] = Array(repeating: [], count: sorted.count)
        while try rows.next() {
            guard let number = numbers[rows.optionalText(2) ?? ""] else {
                throw .failed("list \(list) has a time zone that campaign \(campaign) has no part for")
            }
            chunks[number].append((rows.uint32(0), rows.int(1)))
        }
        var position = 0
        for (number, part) in sorted.enumerated() {
            let first = position
            for chunk in chunks[number] {
                try db.run(
                    "INSERT INTO chunk_order (campaign, position, ordinal, part) VALUES (?1, ?2, ?3, ?4)",
                    .int(campaign),
                    .int(position),
                    .int(chunk.ordinal),
                    .int(number)
                )
                position += 1
            }
            try db.run(
                """
                INSERT INTO parts (campaign, part, time_zone, release_at, expires_at, first_chunk, end_chunk, devices,
                    cursor)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?6)
                """,
                .int(campaign),
                .int(number),
                .text(part.timeZone),
                .time(part.times.releaseAt),
                .time(part.times.expiresAt),
                .int(first),
                .int(position),
                .int(chunks[number].reduce(0) { $0 + $1.count })
            )
            for span in part.times.quiet {
                try db.run(
                    "INSERT INTO quiet_spans (campaign, part, begins_at, ends_at) VALUES (?1, ?2, ?3, ?4)",
                    .int(campaign),
                    .int(number),
                    .time(span.lowerBound),
                    .time(span.upperBound)
                )
            }
        }
        try db.run(
            """
            UPDATE campaigns SET has_parts = 1, send_at = ?2, has_quiet_hours = ?3,
                expires_at = CASE WHEN expires_at < ?4 THEN expires_at ELSE ?4 END
            WHERE number = ?1
            """,
            .int(campaign),
            .time(sorted.first?.times.releaseAt ?? now),
            .bool(sorted.contains { !$0.times.quiet.isEmpty }),
            .time(sorted.map(\.times.expiresAt).max() ?? now)
        )
    }
}

extension LedgerReader {
    /// The time zones of a list's devices; nil among them for devices that say none.
    public func timeZones(list: UInt32) throws(LedgerError) -> [String?] {
        let rows = try db.rows("SELECT DISTINCT time_zone FROM chunks WHERE list = ?1 ORDER BY time_zone", .int(list))
        var zones: [String?] = []
        while try rows.next() { zones.append(rows.optionalText(0)) }
        return zones
    }

    /// A campaign's parts in the order of their release; none when it is not cut by time zone.
    func parts(campaign: UInt32, now: Timestamp) throws(LedgerError) -> [PartStatus] {
        let rows = try db.rows(
            """
            SELECT p.time_zone, p.release_at, p.expires_at, p.devices, coalesce((
                SELECT sum(k.count) FROM chunk_order o JOIN chunks k ON k.list = c.list AND k.ordinal = o.ordinal
                WHERE o.campaign = p.campaign AND o.position >= p.cursor AND o.position < p.end_chunk
                    AND c.cursor < c.chunks
            ), 0), (
                SELECT q.ends_at FROM quiet_spans q
                WHERE q.campaign = p.campaign AND q.part = p.part AND q.begins_at <= ?2 AND q.ends_at > ?2
            )
            FROM parts p JOIN campaigns c ON c.number = p.campaign WHERE p.campaign = ?1 ORDER BY p.part
            """,
            .int(campaign),
            .time(now)
        )
        var parts: [PartStatus] = []
        while try rows.next() {
            parts.append(
                PartStatus(
                    timeZone: rows.optionalText(0),
                    releaseAt: rows.time(1),
                    expiresAt: rows.time(2),
                    devices: rows.int(3),
                    unplanned: rows.int(4),
                    quietUntil: rows.optionalTime(5)
                )
            )
        }
        return parts
    }

    /// Parts that are released, not cut to their end and without quiet hours at this instant, the earliest first.
    func openParts(campaign: UInt32, now: Timestamp) throws(LedgerError) -> [OpenPart] {
        let rows = try db.rows(
            """
            SELECT p.part, p.cursor, p.end_chunk, p.expires_at FROM parts p
            WHERE p.campaign = ?1 AND p.release_at <= ?2 AND p.cursor < p.end_chunk AND \(QuietSpans.isOutside(at: 2))
            ORDER BY p.part
            """,
            .int(campaign),
            .time(now)
        )
        var parts: [OpenPart] = []
        while try rows.next() {
            parts.append(
                OpenPart(number: rows.int(0), cursor: rows.uint32(1), end: rows.uint32(2), expiresAt: rows.time(3))
            )
        }
        return parts
    }

    /// When the part ends that a chunk is of; nil for a campaign without parts.
    func partEnd(campaign: UInt32, chunk: UInt32) throws(LedgerError) -> Timestamp? {
        try db.number(
            """
            SELECT p.expires_at FROM chunk_order o JOIN parts p ON p.campaign = o.campaign AND p.part = o.part
            WHERE o.campaign = ?1 AND o.ordinal = ?2
            """,
            .int(campaign),
            .int(chunk)
        ).map { Timestamp(milliseconds: $0) }
    }
}

/// Pieces of queries over chunks that no shard was cut from yet.
enum UnplannedChunks {
    /// Devices of a row of `campaigns`, in a query where it is named so.
    static func devices(of campaigns: String) -> String {
        """
        CASE WHEN \(campaigns).cursor >= \(campaigns).chunks THEN 0 WHEN \(campaigns).has_parts = 0 THEN (
            SELECT coalesce(sum(k.count), 0) FROM chunks k
            WHERE k.list = \(campaigns).list AND k.ordinal >= \(campaigns).cursor
        ) ELSE (
            SELECT coalesce(sum(k.count), 0) FROM parts p
            JOIN chunk_order o ON o.campaign = p.campaign AND o.position >= p.cursor AND o.position < p.end_chunk
            JOIN chunks k ON k.list = \(campaigns).list AND k.ordinal = o.ordinal
            WHERE p.campaign = \(campaigns).number
        ) END
        """
    }

    /// How many chunks of a row of `campaigns c` may be cut at the instant of a placeholder: their part is released and
    /// has no quiet hours.
    static func released(by placeholder: Int) -> String {
        """
        CASE WHEN c.has_parts = 0 OR c.cursor >= c.chunks THEN c.chunks - c.cursor ELSE (
            SELECT coalesce(sum(p.end_chunk - p.cursor), 0) FROM parts p
            WHERE p.campaign = c.number AND p.release_at <= ?\(placeholder) AND \(QuietSpans.isOutside(at: placeholder))
        ) END
        """
    }
}
