public import Campaigns
import Delivery

/// The part of a campaign for one time zone, as acceptance stores it.
public struct NewPart: Sendable, Equatable {
    /// The zone's name in the list; nil for devices without one.
    public var timeZone: String?
    /// The part's start and end.
    public var times: PartTimes

    /// A part.
    public init(timeZone: String?, times: PartTimes) {
        self.timeZone = timeZone
        self.times = times
    }
}

/// A part of a campaign as `campaign status` shows it.
public struct PartStatus: Sendable, Equatable {
    /// The provider; nil in a campaign of one provider.
    public var provider: ProviderName?
    /// The time zone; nil for devices without one.
    public var timeZone: String?
    /// True if the part begins and ends by its own time zone, not with the campaign.
    public var hasOwnTimes: Bool
    /// The release; nothing is sent before this instant.
    public var releaseAt: Timestamp
    /// The end; no request is made after this instant.
    public var expiresAt: Timestamp
    /// The number of the part's devices.
    public var devices: Int
    /// Devices that are in no shard yet.
    public var unplanned: Int
    /// The end of the present quiet hours; nil outside of them.
    public var quietUntil: Timestamp?
    /// Outcomes of the part's settled shards.
    public var counts = OutcomeCounts()
}

/// A part from which shards may be cut now.
struct OpenPart {
    var number: Int
    /// The provider; nil in a campaign of one provider.
    var provider: ProviderName?
    /// The part's first position in `chunk_order`.
    var first: UInt32
    /// The next position in `chunk_order`, and the position after the part's last.
    var cursor: UInt32
    var end: UInt32
    /// The part's end; nil for the campaign's end.
    var expiresAt: Timestamp?
    var releaseAt: Timestamp

    /// The fraction of the part that is cut, from 0 to 1.
    var shareCut: Double { Double(cursor - first) / Double(max(1, end - first)) }
}

extension LedgerTransaction {
    /// Orders the chunks of a campaign by the release of their parts; each part's cursor advances in this order.
    ///
    /// A part has one time zone if the campaign is split by zones (`parts`), and one provider if the campaign has
    /// several. Without either there are no parts, and the campaign uses the list's order.
    func writeParts(_ parts: [NewPart], campaign: UInt32, list: UInt32, now: Timestamp) throws(LedgerError) {
        guard let facts = try reader.campaign(campaign), facts.hasShares || !parts.isEmpty else { return }
        let sorted = parts.sorted { $0.times.releaseAt < $1.times.releaseAt }
        let names = parts.isEmpty ? nil : Set(parts.map(\.timeZone))
        let groups = try reader.chunkGroups(list: list, zones: names, byProvider: facts.hasShares)
        let zones = parts.isEmpty ? [nil] : sorted.map { Optional($0) }
        let providers = facts.hasShares ? try reader.shares(of: facts).map(\.share) : [nil]
        var (rows, quiet): ([[SQLValue]], [[SQLValue]]) = ([], [])
        var (seen, first) = (0, 0)
        for zone in zones {
            for provider in providers {
                let group = ChunkGroup(provider: provider, timeZone: zone?.timeZone)
                guard let members = groups[group] else { continue }
                let number = UInt32(seen)
                rows.append(Self.row(zone, provider, members, number, first, campaign: campaign))
                first += members.chunks
                quiet += (zone?.times.quiet ?? []).map {
                    [.int(campaign), .int(number), .time($0.lowerBound), .time($0.upperBound)]
                }
                seen += 1
            }
        }
        try db.insert(into: Self.columns, rows)
        guard seen == groups.count, try db.run(Self.order, .int(campaign), .int(list)) == first else {
            throw .failed("list \(list) has devices that campaign \(campaign) has no part for")
        }
        try insertQuiet(quiet)
        try db.run("UPDATE campaigns SET has_parts = 1 WHERE number = ?1", .int(campaign))
        guard !sorted.isEmpty else { return }
        try db.run(
            """
            UPDATE campaigns SET send_at = ?2, has_quiet_hours = ?3,
                expires_at = CASE WHEN expires_at < ?4 THEN expires_at ELSE ?4 END
            WHERE number = ?1
            """,
            .int(campaign),
            .time(sorted.first?.times.releaseAt ?? now),
            .bool(sorted.contains(where: \.times.hasQuietHours)),
            .time(sorted.map(\.times.expiresAt).max() ?? now)
        )
    }

    private static let columns = """
        parts (campaign, part, time_zone, release_at, expires_at, first_chunk, end_chunk, devices, cursor, provider,
            quiet_from, quiet_to, quiet_zone, quiet_until)
        """

    /// The positions of a list's chunks, part by part, in the list's order within each; one statement for lists of any
    /// length.
    private static let order = """
        WITH own AS MATERIALIZED (
            SELECT part, first_chunk, coalesce(time_zone, '') AS zone, provider FROM parts WHERE campaign = ?1
        )
        INSERT INTO chunk_order (campaign, position, ordinal, part)
        SELECT ?1, own.first_chunk + row_number() OVER (PARTITION BY own.part ORDER BY chunks.ordinal) - 1,
            chunks.ordinal, own.part
        FROM chunks JOIN own
            ON own.zone = CASE WHEN chunks.time_zone IN (SELECT zone FROM own) THEN chunks.time_zone ELSE '' END
                AND (own.provider IS NULL OR own.provider = chunks.provider)
        WHERE chunks.list = ?2
        """

    private static func row(
        _ zone: NewPart?,
        _ provider: ProviderName?,
        _ group: (chunks: Int, devices: Int),
        _ number: UInt32,
        _ first: Int,
        campaign: UInt32
    ) -> [SQLValue] {
        let rule = zone?.times.rule
        return [
            .int(campaign), .int(number), .text(zone?.timeZone), .int(zone?.times.releaseAt.milliseconds ?? 0),
            .int(zone?.times.expiresAt.milliseconds ?? 0), .int(first), .int(first + group.chunks),
            .int(group.devices), .int(first), .text(provider?.rawValue),
            .int(rule?.hours.from), .int(rule?.hours.to), .text(rule?.timeZone), .time(rule?.knownUntil),
        ]
    }
}

/// The properties that the chunks of a part share; nil where the campaign is not split by that property.
struct ChunkGroup: Hashable {
    var provider: ProviderName?
    /// The time zone; also nil for devices without one.
    var timeZone: String?
}

extension LedgerReader {
    /// The numbers of chunks and devices of a list in each group that is a part.
    ///
    /// `zones` are the zones with parts of their own; devices of other zones count as having none. It is nil if the
    /// campaign is not split by zones.
    fileprivate func chunkGroups(
        list: UInt32,
        zones: Set<String?>?,
        byProvider: Bool
    ) throws(LedgerError) -> [ChunkGroup: (chunks: Int, devices: Int)] {
        let rows = try db.rows(
            """
            SELECT time_zone, provider, count(*) AS chunks, sum(count) AS devices FROM chunks
            WHERE list = ?1 GROUP BY time_zone, provider
            """,
            .int(list)
        )
        var groups: [ChunkGroup: (chunks: Int, devices: Int)] = [:]
        while try rows.next() {
            let zone = zones == nil ? nil : rows.optionalText("time_zone")
            let group = ChunkGroup(
                provider: byProvider ? rows.provider("provider") : nil,
                timeZone: zones?.contains(zone) == true ? zone : nil
            )
            let before = groups[group] ?? (0, 0)
            groups[group] = (before.chunks + rows.int("chunks"), before.devices + rows.int("devices"))
        }
        return groups
    }
}

extension LedgerReader {
    /// The time zones of a list's devices, with nil for devices without one.
    public func timeZones(list: UInt32) throws(LedgerError) -> [String?] {
        let rows = try db.rows("SELECT DISTINCT time_zone FROM chunks WHERE list = ?1 ORDER BY time_zone", .int(list))
        return try rows.map { $0.optionalText("time_zone") }
    }

    /// A campaign's parts in order of release; empty if it has no parts.
    func parts(campaign: UInt32, now: Timestamp) throws(LedgerError) -> [PartStatus] {
        let rows = try db.rows(
            """
            SELECT p.time_zone,
                CASE WHEN p.expires_at = 0 THEN coalesce(c.fired_at, c.send_at, c.accepted_at) ELSE p.release_at END
                    AS released_at,
                CASE WHEN p.expires_at = 0 THEN c.expires_at ELSE p.expires_at END AS ends_at, p.devices, coalesce((
                SELECT sum(k.count) FROM chunk_order o
                JOIN chunks k INDEXED BY chunk_counts ON k.list = c.list AND k.ordinal = o.ordinal
                WHERE o.campaign = p.campaign AND o.position >= p.cursor AND o.position < p.end_chunk
                    AND c.cursor < c.chunks
            ), 0) AS unplanned, (
                SELECT q.ends_at FROM quiet_spans q
                WHERE q.campaign = p.campaign AND q.part = p.part AND q.begins_at <= ?2 AND q.ends_at > ?2
            ) AS quiet_until, p.provider, p.expires_at > 0 AS has_own_times
            FROM parts p JOIN campaigns c ON c.number = p.campaign
            WHERE p.campaign = ?1 AND (p.provider IS NOT NULL OR p.expires_at > 0) ORDER BY p.part
            """,
            .int(campaign),
            .time(now)
        )
        return try rows.map { row in
            PartStatus(
                provider: row.value("provider"),
                timeZone: row.optionalText("time_zone"),
                hasOwnTimes: row.bool("has_own_times"),
                releaseAt: row.time("released_at"),
                expiresAt: row.time("ends_at"),
                devices: row.int("devices"),
                unplanned: row.int("unplanned"),
                quietUntil: row.optionalTime("quiet_until")
            )
        }
    }

    /// The released parts that are not fully cut and have no quiet hours at this instant, earliest first.
    ///
    /// Parts released together are sorted by the fraction that is cut, least first, so that no provider waits for
    /// another. `providers` limits them to parts of these providers; nil for all.
    func openParts(
        campaign: UInt32,
        of providers: Set<ProviderName>?,
        now: Timestamp
    ) throws(LedgerError) -> [OpenPart] {
        let rows = try db.rows(
            """
            SELECT p.part, p.cursor, p.end_chunk, p.expires_at, p.first_chunk, p.provider, p.release_at FROM parts p
            WHERE p.campaign = ?1 AND p.release_at <= ?2 AND p.cursor < p.end_chunk AND \(QuietSpans.isOutside(at: 2))
                AND \(providers.map { "p.provider IN (\(ShareRows.list($0)))" } ?? "1 = 1")
            ORDER BY p.part
            """,
            .int(campaign),
            .time(now)
        )
        var parts: [OpenPart] = []
        while try rows.next() {
            parts.append(
                OpenPart(
                    number: rows.int("part"),
                    provider: rows.value("provider"),
                    first: rows.uint32("first_chunk"),
                    cursor: rows.uint32("cursor"),
                    end: rows.uint32("end_chunk"),
                    expiresAt: rows.int64("expires_at") == 0 ? nil : rows.time("expires_at"),
                    releaseAt: rows.time("release_at")
                )
            )
        }
        guard parts.contains(where: { $0.provider != nil }) else { return parts }
        return parts.sorted { ($0.releaseAt, $0.shareCut, $0.number) < ($1.releaseAt, $1.shareCut, $1.number) }
    }

    /// The end of a chunk's part; nil in a campaign whose parts have no ends of their own.
    func partEnd(campaign: UInt32, chunk: UInt32) throws(LedgerError) -> Timestamp? {
        try db.number(
            """
            SELECT p.expires_at FROM chunk_order o JOIN parts p ON p.campaign = o.campaign AND p.part = o.part
            WHERE o.campaign = ?1 AND o.ordinal = ?2 AND p.expires_at > 0
            """,
            .int(campaign),
            .int(chunk)
        ).map { Timestamp(milliseconds: $0) }
    }
}

/// Query fragments about chunks from which no shard was cut yet.
enum UnplannedChunks {
    /// The uncut devices of a row of `parts p`; the number is stored for a part from which nothing is cut.
    ///
    /// SQLite is told the index because it would otherwise read the chunks themselves: 170 ms instead of 5 for ten
    /// million devices.
    private static func ofPart(list: String) -> String {
        """
        CASE WHEN p.cursor = p.first_chunk THEN p.devices WHEN p.cursor >= p.end_chunk THEN 0 ELSE (
            SELECT coalesce(sum(k.count), 0) FROM chunk_order o
            JOIN chunks k INDEXED BY chunk_counts ON k.list = \(list) AND k.ordinal = o.ordinal
            WHERE o.campaign = p.campaign AND o.position >= p.cursor AND o.position < p.end_chunk
        ) END
        """
    }

    /// The uncut devices of a row of `campaigns`, which the query calls by the given name.
    static func devices(of campaigns: String) -> String {
        """
        CASE WHEN \(campaigns).cursor >= \(campaigns).chunks THEN 0 WHEN \(campaigns).has_parts = 0 THEN (
            SELECT coalesce(sum(k.count), 0) FROM chunks k
            WHERE k.list = \(campaigns).list AND k.ordinal >= \(campaigns).cursor
        ) ELSE (
            SELECT coalesce(sum(\(ofPart(list: "\(campaigns).list"))), 0) FROM parts p
            WHERE p.campaign = \(campaigns).number
        ) END
        """
    }

    /// The uncut devices of a row of `campaign_providers`.
    static let devicesOfShare = """
        (
            SELECT coalesce(sum(\(ofPart(list: "c.list"))), 0) FROM parts p
            JOIN campaigns c ON c.number = p.campaign AND c.cursor < c.chunks
            WHERE p.campaign = campaign_providers.campaign AND p.provider = campaign_providers.provider
        )
        """

    /// The number of a share's chunks that may be cut at a placeholder's instant, in a query with the rows `campaigns
    /// c` and `campaign_providers v`.
    static func releasedOfShare(by placeholder: Int) -> String {
        """
        CASE WHEN c.cursor >= c.chunks THEN 0 ELSE (
            SELECT coalesce(sum(p.end_chunk - p.cursor), 0) FROM parts p
            WHERE p.campaign = c.number AND p.provider = v.provider AND p.release_at <= ?\(placeholder)
                AND \(QuietSpans.isOutside(at: placeholder))
        ) END
        """
    }

    /// The number of chunks of a row of `campaigns c` that may be cut at a placeholder's instant: their part is
    /// released and has no quiet hours.
    static func released(by placeholder: Int) -> String {
        """
        CASE WHEN c.has_parts = 0 OR c.cursor >= c.chunks THEN c.chunks - c.cursor ELSE (
            SELECT coalesce(sum(p.end_chunk - p.cursor), 0) FROM parts p
            WHERE p.campaign = c.number AND p.release_at <= ?\(placeholder) AND \(QuietSpans.isOutside(at: placeholder))
        ) END
        """
    }
}
