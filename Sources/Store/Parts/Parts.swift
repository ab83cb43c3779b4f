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
    /// Outcomes of its settled shards.
    public var counts = OutcomeCounts()
}

extension LedgerTransaction {
    /// Puts the chunks of a campaign into the order in which its parts are released; the cursor walks along it.
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
                INSERT INTO parts (campaign, part, time_zone, release_at, expires_at, first_chunk, end_chunk, devices)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
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
        }
        try db.run(
            "UPDATE campaigns SET has_parts = 1, send_at = ?2 WHERE number = ?1",
            .int(campaign),
            .time(sorted.first?.times.releaseAt ?? now)
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
    func parts(campaign: UInt32) throws(LedgerError) -> [PartStatus] {
        let rows = try db.rows(
            """
            SELECT p.time_zone, p.release_at, p.expires_at, p.devices, coalesce((
                SELECT sum(k.count) FROM chunk_order o JOIN chunks k ON k.list = c.list AND k.ordinal = o.ordinal
                WHERE o.campaign = p.campaign AND o.position >= p.first_chunk AND o.position < p.end_chunk
                    AND o.position >= c.cursor
            ), 0)
            FROM parts p JOIN campaigns c ON c.number = p.campaign WHERE p.campaign = ?1 ORDER BY p.part
            """,
            .int(campaign)
        )
        var parts: [PartStatus] = []
        while try rows.next() {
            parts.append(
                PartStatus(
                    timeZone: rows.optionalText(0),
                    releaseAt: rows.time(1),
                    expiresAt: rows.time(2),
                    devices: rows.int(3),
                    unplanned: rows.int(4)
                )
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
        CASE WHEN \(campaigns).has_parts = 0 THEN (
            SELECT coalesce(sum(k.count), 0) FROM chunks k
            WHERE k.list = \(campaigns).list AND k.ordinal >= \(campaigns).cursor
        ) ELSE (
            SELECT coalesce(sum(k.count), 0) FROM chunk_order o
            JOIN chunks k ON k.list = \(campaigns).list AND k.ordinal = o.ordinal
            WHERE o.campaign = \(campaigns).number AND o.position >= \(campaigns).cursor
        ) END
        """
    }

    /// How many chunks of a row of `campaigns c` may be cut: their part is released by the instant of a placeholder.
    static func released(by placeholder: Int) -> String {
        """
        CASE WHEN c.has_parts = 0 THEN c.chunks ELSE (
            SELECT coalesce(max(p.end_chunk), 0) FROM parts p WHERE p.campaign = c.number AND p.release_at <= ?\(placeholder)
        ) END - c.cursor
        """
    }
}
