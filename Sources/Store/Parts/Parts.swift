public import Campaigns
import Delivery

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
    /// nil in a campaign of one provider.
    public var provider: ProviderName?
    /// nil for devices that say none.
    public var timeZone: String?
    /// Whether it begins and ends by its own time zone, and not with the campaign.
    public var hasOwnTimes: Bool
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
    /// nil in a campaign of one provider.
    var provider: ProviderName?
    /// The first position of it.
    var first: UInt32
    /// The next position in `chunk_order`, and the one behind its last.
    var cursor: UInt32
    var end: UInt32
    /// nil: when the campaign ends.
    var expiresAt: Timestamp?
    var releaseAt: Timestamp

    /// How much of it is cut, from 0 to 1.
    var shareCut: Double { Double(cursor - first) / Double(max(1, end - first)) }
}

extension LedgerTransaction {
    /// Puts the chunks of a campaign into the order in which its parts are released; each part's cursor walks along it.
    ///
    /// A part has one time zone, when the campaign is cut by those (`parts`), and one provider, when it has several. Without
    /// either there are no parts: the list's order is the campaign's.
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

    /// The places of a list's chunks, part by part, in the list's order within each: one statement, however long the list.
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

/// What the chunks of a part have in common; nil where the campaign is not cut by it.
struct ChunkGroup: Hashable {
    var provider: ProviderName?
    /// nil also for devices that say none.
    var timeZone: String?
}

extension LedgerReader {
    /// How many chunks and devices of a list are in each group that is a part.
    ///
    /// `zones`: those that have a part of their own, the others count as none; nil when it is not cut by them.
    fileprivate func chunkGroups(
        list: UInt32,
        zones: Set<String?>?,
        byProvider: Bool
    ) throws(LedgerError) -> [ChunkGroup: (chunks: Int, devices: Int)] {
        let rows = try db.rows(
            "SELECT time_zone, provider, count(*), sum(count) FROM chunks WHERE list = ?1 GROUP BY time_zone, provider",
            .int(list)
        )
        var groups: [ChunkGroup: (chunks: Int, devices: Int)] = [:]
        while try rows.next() {
            let zone = zones == nil ? nil : rows.optionalText(0)
            let group = ChunkGroup(
                provider: byProvider ? ProviderName(rawValue: rows.text(1)) : nil,
                timeZone: zones?.contains(zone) == true ? zone : nil
            )
            let before = groups[group] ?? (0, 0)
            groups[group] = (before.chunks + rows.int(2), before.devices + rows.int(3))
        }
        return groups
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
            SELECT p.time_zone,
                CASE WHEN p.expires_at = 0 THEN coalesce(c.fired_at, c.send_at, c.accepted_at) ELSE p.release_at END,
                CASE WHEN p.expires_at = 0 THEN c.expires_at ELSE p.expires_at END, p.devices, coalesce((
                SELECT sum(k.count) FROM chunk_order o
                JOIN chunks k INDEXED BY chunk_counts ON k.list = c.list AND k.ordinal = o.ordinal
                WHERE o.campaign = p.campaign AND o.position >= p.cursor AND o.position < p.end_chunk
                    AND c.cursor < c.chunks
            ), 0), (
                SELECT q.ends_at FROM quiet_spans q
                WHERE q.campaign = p.campaign AND q.part = p.part AND q.begins_at <= ?2 AND q.ends_at > ?2
            ), p.provider, p.expires_at > 0
            FROM parts p JOIN campaigns c ON c.number = p.campaign WHERE p.campaign = ?1 ORDER BY p.part
            """,
            .int(campaign),
            .time(now)
        )
        var parts: [PartStatus] = []
        while try rows.next() {
            parts.append(
                PartStatus(
                    provider: rows.optionalText(6).map { ProviderName(rawValue: $0) },
                    timeZone: rows.optionalText(0),
                    hasOwnTimes: rows.bool(7),
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

    /// Parts that are released, not cut to their end and without quiet hours at this instant, the earliest first; of
    /// those that are released together the one of which least is cut, so that no provider waits for another.
    ///
    /// `providers`: only parts of these; nil for all.
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
                    number: rows.int(0),
                    provider: rows.optionalText(5).map { ProviderName(rawValue: $0) },
                    first: rows.uint32(4),
                    cursor: rows.uint32(1),
                    end: rows.uint32(2),
                    expiresAt: rows.int64(3) == 0 ? nil : rows.time(3),
                    releaseAt: rows.time(6)
                )
            )
        }
        guard parts.contains(where: { $0.provider != nil }) else { return parts }
        return parts.sorted { ($0.releaseAt, $0.shareCut, $0.number) < ($1.releaseAt, $1.shareCut, $1.number) }
    }

    /// When the part ends that a chunk is of; nil for a campaign whose parts have no ends of their own.
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

/// Pieces of queries over chunks that no shard was cut from yet.
enum UnplannedChunks {
    /// Devices of a row of `parts p`: of one that nothing was cut of it is known how many.
    ///
    /// SQLite is told the index, because it would read the chunks themselves otherwise: 170 ms instead of 5 for ten million
    /// devices.
    private static func ofPart(list: String) -> String {
        """
        CASE WHEN p.cursor = p.first_chunk THEN p.devices WHEN p.cursor >= p.end_chunk THEN 0 ELSE (
            SELECT coalesce(sum(k.count), 0) FROM chunk_order o
            JOIN chunks k INDEXED BY chunk_counts ON k.list = \(list) AND k.ordinal = o.ordinal
            WHERE o.campaign = p.campaign AND o.position >= p.cursor AND o.position < p.end_chunk
        ) END
        """
    }

    /// Devices of a row of `campaigns`, in a query where it is named so.
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

    /// Devices of a row of `campaign_providers`.
    static let devicesOfShare = """
        (
            SELECT coalesce(sum(\(ofPart(list: "c.list"))), 0) FROM parts p
            JOIN campaigns c ON c.number = p.campaign AND c.cursor < c.chunks
            WHERE p.campaign = campaign_providers.campaign AND p.provider = campaign_providers.provider
        )
        """

    /// How many chunks of a share may be cut at the instant of a placeholder, in a query with the rows `campaigns c` and
    /// `campaign_providers v`.
    static func releasedOfShare(by placeholder: Int) -> String {
        """
        CASE WHEN c.cursor >= c.chunks THEN 0 ELSE (
            SELECT coalesce(sum(p.end_chunk - p.cursor), 0) FROM parts p
            WHERE p.campaign = c.number AND p.provider = v.provider AND p.release_at <= ?\(placeholder)
                AND \(QuietSpans.isOutside(at: placeholder))
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
