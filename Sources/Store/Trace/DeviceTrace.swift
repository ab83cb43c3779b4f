public import Campaigns
public import Delivery

/// The actions of one campaign for one device.
public struct DeviceTrace: Sendable, Equatable {
    /// The campaign's app and id, its stage and its reasons to pause.
    public var campaign: CampaignFacts
    /// The campaign's name, for people.
    public var name: String?
    /// The instant of the campaign's acceptance.
    public var acceptedAt: Timestamp
    /// The provider.
    public var provider: ProviderName
    /// The token in the campaign's list, as raw bytes.
    public var token: [UInt8]
    /// The producer's name for the device in that list.
    public var id: String?
    /// The device's index in the campaign, from which the ids of its requests are made.
    public var index: UInt32
    /// The device's shards, first attempt first; empty while it is in no shard.
    public var steps: [Step] = []
    /// The outcome of a device that was never in a shard because the campaign ended before.
    public var restOutcome: Outcome?
    /// The phone's reports about the campaign, in no order; empty once `store.retention.tracking` is over.
    public var told: [Told] = []

    /// One report of the phone.
    public struct Told: Sendable, Equatable {
        /// The place of the event on the phone.
        public var surface: TrackedSurface
        /// The kind of event.
        public var type: TrackedType
        /// The button or the reason; empty for none.
        public var detail: String
        /// The instant by the phone's clock.
        public var at: Timestamp
    }

    /// One shard of the device: a first attempt, or a retry.
    public struct Step: Sendable, Equatable {
        /// The number of the attempt, from 1.
        public var attempt: UInt32
        /// The rung that the shard waited on; nil for a first attempt.
        public var rung: Rung?
        /// The state of the shard.
        public var state: ShardState
        /// The reason why the shard waits, if it does.
        public var aside: AsideReason?
        /// The device's result; nil once `store.retention.outcomes` is over.
        public var result: Progress.State?
        /// The requests made for the device.
        public var requests: Int
        /// The provider's reason, or ours.
        public var reason: String?
        /// The instant at which the shard was planned; nil in a ledger older than this column.
        public var plannedAt: Timestamp?
        /// The instant at which a worker began with the shard; nil until then.
        public var begunAt: Timestamp?
        /// The instant at which the shard is due back from its rung, or for its turn.
        public var dueAt: Timestamp?
        /// The instant at which the shard was settled; nil until then.
        public var settledAt: Timestamp?
    }

    /// The device's outcome; nil while it is pending, and once it is not kept any longer.
    public var outcome: Outcome? {
        guard let last = steps.last else { return restOutcome }
        guard case .outcome(let outcome)? = last.result else { return nil }
        return outcome
    }

    /// True if the campaign's single outcomes are not kept any longer.
    public var isForgotten: Bool { steps.last.map { $0.result == nil } ?? false }

    /// The instant of the first display on the phone; nil if the phone reported none.
    public var displayedAt: Timestamp? { told.filter { $0.type == .displayed }.map(\.at).min() }

    /// The instant of reading: a tap, an answer by a button, or a display of the content.
    ///
    /// Nil if the phone reported none; a swipe away does not count.
    public var readAt: Timestamp? {
        told.filter { said in
            switch said.type {
            case .opened, .actioned: true
            case .displayed: said.surface == .content
            case .received, .exited, .dropped: false
            }
        }.map(\.at).min()
    }

    /// The requests made, over all attempts.
    public var requests: Int { steps.reduce(0) { $0 + $1.requests } }

    /// The last reason.
    public var reason: String? { steps.last { $0.reason != nil }?.reason }

    /// The start of the first shard that made a request.
    public var firstRequestAt: Timestamp? { steps.first { $0.requests > 0 }?.begunAt }

    /// The settlement of the last shard that made a request.
    public var lastAnswerAt: Timestamp? { steps.last { $0.requests > 0 }?.settledAt }
}

/// The devices to look for, by their tokens or by the producer's names.
public struct TracedDevices: Sendable {
    /// Tokens as raw bytes.
    public var tokens: Set<[UInt8]>
    /// Names in lists.
    public var ids: Set<String>

    /// A search for devices.
    public init(tokens: Set<[UInt8]>, ids: Set<String>) {
        self.tokens = tokens
        self.ids = ids
    }
}

extension Ledger {
    /// The actions of an app's campaigns for some devices, latest campaign first.
    ///
    /// There is no index from devices to campaigns, because it would cost a write for each device of each campaign.
    /// Instead, each list of the campaigns is read once, a few megabytes per read transaction. Only chunks that contain
    /// the bytes are decoded.
    ///
    /// - Parameters:
    ///   - devices: The devices.
    ///   - app: The app of the campaigns.
    ///   - since: Only campaigns that were accepted at or after this instant.
    public func trace(
        _ devices: TracedDevices,
        app: String,
        since: Timestamp = Timestamp(milliseconds: 0)
    ) async throws(LedgerError) -> [DeviceTrace] {
        guard !devices.tokens.isEmpty || !devices.ids.isEmpty else { return [] }
        let campaigns = try await read { try $0.listsOfCampaigns(app: app, since: since) }
        var traces: [DeviceTrace] = []
        for list in Set(campaigns.map(\.list)).sorted(by: >) {
            var next: UInt32? = 0
            while let from = next {
                let page = try await read { try $0.entries(of: devices, list: list, from: from) }
                for entry in page.found {
                    for campaign in campaigns where campaign.list == list {
                        let trace = try await read { try $0.trace(entry, campaign: campaign.number) }
                        if let trace { traces.append(trace) }
                    }
                }
                next = page.next
            }
        }
        return traces.sorted { ($1.acceptedAt, $1.campaign.number) < ($0.acceptedAt, $0.campaign.number) }
    }
}

extension Ledger {
    /// The traces of all devices of one campaign, in their order; nil if it has more than `devicesMax`.
    public func traces(campaign: UInt32, devicesMax: Int) async throws(LedgerError) -> [DeviceTrace]? {
        let entries = try await read { try $0.tracedEntries(campaign: campaign, devicesMax: devicesMax) }
        guard let entries else { return nil }
        var traces: [DeviceTrace] = []
        for entry in entries {
            if let trace = try await read({ try $0.trace(entry, campaign: campaign) }) { traces.append(trace) }
        }
        return traces
    }
}

/// A device in a list.
struct TracedEntry: Sendable {
    var chunk: UInt32
    var position: Int
    var firstIndex: UInt32
    var provider: ProviderName
    var token: [UInt8]
    var id: String?
}

extension LedgerReader {
    /// The number of chunks that a transaction reads: about a megabyte of tokens.
    private static let tracedChunks: UInt32 = 64

    fileprivate func listsOfCampaigns(
        app: String,
        since: Timestamp
    ) throws(LedgerError) -> [(number: UInt32, list: UInt32)] {
        let rows = try db.rows(
            "SELECT number, list FROM campaigns WHERE app = ?1 AND accepted_at >= ?2 AND list > 0 ORDER BY number",
            .text(app),
            .time(since)
        )
        return try rows.map { ($0.uint32("number"), $0.uint32("list")) }
    }

    /// The positions of devices in the next chunks of a list; `next` is nil after its last chunk.
    fileprivate func entries(
        of devices: TracedDevices,
        list: UInt32,
        from: UInt32
    ) throws(LedgerError) -> (found: [TracedEntry], next: UInt32?) {
        let rows = try db.rows(
            """
            SELECT ordinal, first_index, provider, bare, device_ids FROM chunks
            WHERE list = ?1 AND ordinal >= ?2 ORDER BY ordinal LIMIT ?3
            """,
            .int(list),
            .int(from),
            .int(Self.tracedChunks)
        )
        let names = devices.ids.map { Array($0.utf8) }
        var (found, last, seen): ([TracedEntry], UInt32, UInt32) = ([], from, 0)
        while try rows.next() {
            (last, seen) = (rows.uint32("ordinal"), seen + 1)
            // Chunks that contain the bytes by chance are ruled out below.
            guard
                devices.tokens.contains(where: { rows.contains("bare", $0) })
                    || names.contains(where: { rows.contains("device_ids", $0) })
            else { continue }
            found += try Self.chunkEntries(rows).filter {
                devices.tokens.contains($0.token) || $0.id.map(devices.ids.contains) ?? false
            }
        }
        return (found, seen == Self.tracedChunks ? last + 1 : nil)
    }

    /// The positions of all devices of a campaign's list; nil if there are more than `devicesMax`, empty without a
    /// list.
    fileprivate func tracedEntries(campaign: UInt32, devicesMax: Int) throws(LedgerError) -> [TracedEntry]? {
        let chunks = try db.rows(
            """
            SELECT ordinal, first_index, provider, bare, device_ids FROM chunks
            WHERE list = (SELECT list FROM campaigns WHERE number = ?1 AND list > 0) ORDER BY ordinal LIMIT ?2
            """,
            .int(campaign),
            // Each chunk has at least one device.
            .int(devicesMax + 1)
        )
        var entries: [TracedEntry] = []
        while try chunks.next() {
            entries += try Self.chunkEntries(chunks)
            if entries.count > devicesMax { return nil }
        }
        return entries
    }

    /// The positions of a chunk, from a row of its ordinal, first index, provider, devices and names.
    private static func chunkEntries(_ rows: borrowing Rows) throws(LedgerError) -> [TracedEntry] {
        let batch: DeviceBatch
        do { batch = try DeviceBatch(encoded: rows.blob("bare")) } catch {
            throw .failed("chunk \(rows.uint32("ordinal")) of a list: \(error)")
        }
        let ids = DeviceIDs(stored: rows.blob("device_ids")).texts
        return (0..<batch.count).map { position in
            TracedEntry(
                chunk: rows.uint32("ordinal"),
                position: position,
                firstIndex: rows.uint32("first_index"),
                provider: rows.provider("provider"),
                token: Array(batch.tokens[batch.tokenRange(at: position)]),
                id: position < ids.count ? ids[position] : nil
            )
        }
    }

    /// The actions of a campaign for a device; nil if the campaign is gone.
    fileprivate func trace(_ entry: TracedEntry, campaign: UInt32) throws(LedgerError) -> DeviceTrace? {
        guard let whole = try self.campaign(campaign),
            let facts = try self.campaign(campaign, share: whole.hasShares ? entry.provider : nil)
        else { return nil }
        let rows = try db.rows(
            """
            SELECT c.name, c.accepted_at, c.rest_outcome FROM campaigns c
            WHERE c.number = ?1 AND (c.has_parts = 0 OR EXISTS (
                SELECT 1 FROM chunk_order o WHERE o.campaign = c.number AND o.ordinal = ?2
            ))
            """,
            .int(campaign),
            .int(entry.chunk)
        )
        // A chunk that the freezing of the audience has not passed is not the campaign's yet.
        guard try rows.next() else { return nil }
        var trace = DeviceTrace(
            campaign: facts,
            name: rows.optionalText("name"),
            acceptedAt: rows.time("accepted_at"),
            provider: entry.provider,
            token: entry.token,
            id: entry.id,
            index: entry.firstIndex + UInt32(entry.position),
            restOutcome: rows.value("rest_outcome")
        )
        // Under a rate, each shard is a piece of a chunk.
        var piece: UInt32? = entry.chunk
        while let ordinal = piece, try addSteps(ofShard: ordinal, entry, to: &trace) {
            piece = ShardRecord.nextPiece(ordinal)
        }
        trace.told = try told(campaign: campaign, device: trace.index)
        return trace
    }

    /// One device's reports about a campaign.
    private func told(campaign: UInt32, device: UInt32) throws(LedgerError) -> [DeviceTrace.Told] {
        // The query names all steps, because the table is ordered by campaign, step and device.
        let steps = TrackedSurface.allCases.flatMap { surface in
            TrackedType.allCases.map { String(TrackedStep(surface, $0).number) }
        }
        let rows = try db.rows(
            """
            SELECT step, detail, at FROM tracked
            WHERE campaign = ?1 AND step IN (\(steps.joined(separator: ", "))) AND device = ?2
            """,
            .int(campaign),
            .int(device)
        )
        var told: [DeviceTrace.Told] = []
        while try rows.next() {
            guard let step = TrackedStep(rows.int64("step")) else { continue }
            told.append(
                DeviceTrace.Told(
                    surface: step.surface,
                    type: step.type,
                    detail: rows.text("detail"),
                    at: rows.time("at")
                )
            )
        }
        return told
    }

    /// Adds the rows of a shard for a device, parents before their children; returns false if there are no rows.
    private func addSteps(
        ofShard ordinal: UInt32,
        _ entry: TracedEntry,
        to trace: inout DeviceTrace
    ) throws(LedgerError) -> Bool {
        let rows = try db.rows(
            """
            SELECT \(ShardRows.columns), s.since, s.cut_at, s.begun_at FROM shards s
            WHERE s.campaign = ?1 AND s.part IN (0, \(ShardKey.suspectPart)) AND s.ordinal = ?2
            ORDER BY s.part, s.child
            """,
            .int(trace.campaign.number),
            .int(ordinal)
        )
        var isFound = false
        while try rows.next() {
            isFound = true
            let record = try ShardRows.record(rows)
            let whole = record.positions.isEmpty && entry.position < record.count ? entry.position : nil
            guard let position = record.positions.firstIndex(of: UInt16(entry.position)) ?? whole else { continue }
            let isForgotten = record.state == .settled && rows.isNull("progress")
            trace.steps.append(
                DeviceTrace.Step(
                    attempt: record.attempt,
                    rung: record.rung,
                    state: record.state,
                    aside: record.aside,
                    result: isForgotten ? nil : record.progress.state(at: position),
                    requests: record.progress.requests(at: position),
                    reason: record.progress.notes[UInt16(position)]?.reason,
                    plannedAt: rows.optionalTime("cut_at"),
                    begunAt: rows.optionalTime("begun_at"),
                    dueAt: record.dueAt,
                    settledAt: record.state == .settled ? rows.time("since") : nil
                )
            )
        }
        return isFound
    }
}
