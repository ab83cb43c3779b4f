public import Campaigns
public import Delivery

/// What one campaign did about one device.
public struct DeviceTrace: Sendable, Equatable {
    /// The campaign's app and id, where it stands and why it is paused.
    public var campaign: CampaignFacts
    /// For people.
    public var name: String?
    /// When the ledger took the campaign.
    public var acceptedAt: Timestamp
    /// The provider.
    public var provider: ProviderName
    /// The token that the campaign's list has, as raw bytes.
    public var token: [UInt8]
    /// The producer's name for the device in that list.
    public var id: String?
    /// The device's index in the campaign, which the ids of its requests are made from.
    public var index: UInt32
    /// Its shards, the first attempt first; none while it is in no shard.
    public var steps: [Step] = []
    /// What it ended as without ever being in a shard: the campaign was over before.
    public var restOutcome: Outcome?
    /// Things that the phone said of it, in no order; none once `store.retention.tracking` is over.
    public var told: [Told] = []

    /// One thing that the phone said.
    public struct Told: Sendable, Equatable {
        /// Place on the phone.
        public var surface: TrackedSurface
        /// Kind of event.
        public var type: TrackedType
        /// The button or the reason; empty for none.
        public var detail: String
        /// Time by the phone's clock.
        public var at: Timestamp

        /// A thing that was said.
        public init(surface: TrackedSurface, type: TrackedType, detail: String, at: Timestamp) {
            (self.surface, self.type, self.detail, self.at) = (surface, type, detail, at)
        }
    }

    /// One shard of the device: a first attempt, or a retry.
    public struct Step: Sendable, Equatable {
        /// Which try it is, from 1.
        public var attempt: UInt32
        /// The rung that it waited on; nil for a first attempt.
        public var rung: Rung?
        /// Where the shard stands.
        public var state: ShardState
        /// Why it waits, if it does.
        public var aside: AsideReason?
        /// What is known of the device; nil when `store.retention.outcomes` is over.
        public var result: Progress.State?
        /// Requests made for the device.
        public var requests: Int
        /// The provider's reason, or ours.
        public var reason: String?
        /// When the shard was planned; nil in a ledger of before this was kept.
        public var plannedAt: Timestamp?
        /// When a worker began with it; nil until then.
        public var begunAt: Timestamp?
        /// When it is due back from its rung, or for its turn.
        public var dueAt: Timestamp?
        /// When it was settled; nil until then.
        public var settledAt: Timestamp?
    }

    /// Where the device ended; nil while it is pending, and when it is not known any longer.
    public var outcome: Outcome? {
        guard let last = steps.last else { return restOutcome }
        guard case .outcome(let outcome)? = last.result else { return nil }
        return outcome
    }

    /// Whether single outcomes of the campaign are not kept any longer.
    public var isForgotten: Bool { steps.last.map { $0.result == nil } ?? false }

    /// Instant at which something of it was on the screen first; nil when the phone has not said so.
    public var displayedAt: Timestamp? { told.filter { $0.type == .displayed }.map(\.at).min() }

    /// Instant at which it was read: tapped, answered by a button, or its content shown.
    ///
    /// Nil when the phone has not said so; what was swiped away is not read.
    public var readAt: Timestamp? {
        told.filter { said in
            switch said.type {
            case .opened, .actioned: true
            case .displayed: said.surface == .content
            case .received, .exited, .dropped: false
            }
        }.map(\.at).min()
    }

    /// Requests made, over all attempts.
    public var requests: Int { steps.reduce(0) { $0 + $1.requests } }

    /// The last reason that was given.
    public var reason: String? { steps.last { $0.reason != nil }?.reason }

    /// When its first shard that made a request was begun.
    public var firstRequestAt: Timestamp? { steps.first { $0.requests > 0 }?.begunAt }

    /// When the last shard that made a request was settled.
    public var lastAnswerAt: Timestamp? { steps.last { $0.requests > 0 }?.settledAt }
}

/// Who is looked for: a device is found by its token or by the name that the producer gave it.
public struct TracedDevices: Sendable {
    /// Tokens as raw bytes.
    public var tokens: Set<[UInt8]>
    /// Names in lists.
    public var ids: Set<String>

    /// Devices.
    public init(tokens: Set<[UInt8]>, ids: Set<String>) {
        self.tokens = tokens
        self.ids = ids
    }
}

extension Ledger {
    /// Everything that an app's campaigns did about some devices, the latest campaign first.
    ///
    /// There is no index from devices to campaigns: it would cost each device of each campaign a write. The lists of the
    /// campaigns are read through instead, each once, some megabytes a read transaction; only chunks that have the bytes
    /// are decoded.
    ///
    /// - Parameters:
    ///   - devices: Who.
    ///   - app: Whose campaigns.
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
                let page = try await read { try $0.places(of: devices, list: list, from: from) }
                for place in page.found {
                    for campaign in campaigns where campaign.list == list {
                        let trace = try await read { try $0.trace(place, campaign: campaign.number) }
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
    /// Traces of each device of one campaign, in their order; nil for one with more than `devicesMax`.
    public func traces(campaign: UInt32, devicesMax: Int) async throws(LedgerError) -> [DeviceTrace]? {
        let places = try await read { try $0.tracedPlaces(campaign: campaign, devicesMax: devicesMax) }
        guard let places else { return nil }
        var traces: [DeviceTrace] = []
        for place in places {
            if let trace = try await read({ try $0.trace(place, campaign: campaign) }) { traces.append(trace) }
        }
        return traces
    }
}

/// A device in a list.
struct TracedPlace: Sendable {
    var chunk: UInt32
    var position: Int
    var firstIndex: UInt32
    var provider: ProviderName
    var token: [UInt8]
    var id: String?
}

extension LedgerReader {
    /// Chunks that a transaction reads: about a megabyte of tokens.
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
        var campaigns: [(number: UInt32, list: UInt32)] = []
        while try rows.next() { campaigns.append((rows.uint32(0), rows.uint32(1))) }
        return campaigns
    }

    /// The places of devices in the next chunks of a list; `next` is nil behind its last.
    fileprivate func places(
        of devices: TracedDevices,
        list: UInt32,
        from: UInt32
    ) throws(LedgerError) -> (found: [TracedPlace], next: UInt32?) {
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
        var (found, last, seen): ([TracedPlace], UInt32, UInt32) = ([], from, 0)
        while try rows.next() {
            (last, seen) = (rows.uint32(0), seen + 1)
            // Bytes that look alike are told apart below.
            guard
                devices.tokens.contains(where: { rows.contains(3, $0) })
                    || names.contains(where: { rows.contains(4, $0) })
            else { continue }
            found += try Self.chunkPlaces(rows).filter {
                devices.tokens.contains($0.token) || $0.id.map(devices.ids.contains) ?? false
            }
        }
        return (found, seen == Self.tracedChunks ? last + 1 : nil)
    }

    /// The places of all devices of a campaign's list; nil for more than so many, none while it has no list.
    fileprivate func tracedPlaces(campaign: UInt32, devicesMax: Int) throws(LedgerError) -> [TracedPlace]? {
        let chunks = try db.rows(
            """
            SELECT ordinal, first_index, provider, bare, device_ids FROM chunks
            WHERE list = (SELECT list FROM campaigns WHERE number = ?1 AND list > 0) ORDER BY ordinal LIMIT ?2
            """,
            .int(campaign),
            // Each has a device.
            .int(devicesMax + 1)
        )
        var places: [TracedPlace] = []
        while try chunks.next() {
            places += try Self.chunkPlaces(chunks)
            if places.count > devicesMax { return nil }
        }
        return places
    }

    /// The places of a chunk: a row of its ordinal, first index, provider, devices and names.
    private static func chunkPlaces(_ rows: borrowing Rows) throws(LedgerError) -> [TracedPlace] {
        let batch: DeviceBatch
        do { batch = try DeviceBatch(encoded: rows.blob(3)) } catch {
            throw .failed("chunk \(rows.uint32(0)) of a list: \(error)")
        }
        let ids = DeviceIDs.decode(rows.blob(4))
        return (0..<batch.count).map { position in
            TracedPlace(
                chunk: rows.uint32(0),
                position: position,
                firstIndex: rows.uint32(1),
                provider: ProviderName(rawValue: rows.text(2)),
                token: Array(batch.tokens[batch.tokenRange(at: position)]),
                id: position < ids.count ? ids[position] : nil
            )
        }
    }

    /// What a campaign did about a device; nil when the campaign is gone.
    fileprivate func trace(_ place: TracedPlace, campaign: UInt32) throws(LedgerError) -> DeviceTrace? {
        guard let whole = try self.campaign(campaign),
            let facts = try self.campaign(campaign, share: whole.hasShares ? place.provider : nil)
        else { return nil }
        let rows = try db.rows(
            "SELECT name, accepted_at, rest_outcome FROM campaigns WHERE number = ?1",
            .int(campaign)
        )
        guard try rows.next() else { return nil }
        var trace = DeviceTrace(
            campaign: facts,
            name: rows.optionalText(0),
            acceptedAt: rows.time(1),
            provider: place.provider,
            token: place.token,
            id: place.id,
            index: place.firstIndex + UInt32(place.position),
            restOutcome: rows.optionalInt64(2).flatMap { Outcome(rawValue: UInt8(truncatingIfNeeded: $0)) }
        )
        // Under a rate a chunk's shards are pieces of it.
        var piece: UInt32? = place.chunk
        while let ordinal = piece, try addSteps(ofShard: ordinal, place, to: &trace) {
            piece = ShardRecord.nextPiece(ordinal)
        }
        trace.told = try told(campaign: campaign, device: trace.index)
        return trace
    }

    /// Everything that one device said of a campaign.
    private func told(campaign: UInt32, device: UInt32) throws(LedgerError) -> [DeviceTrace.Told] {
        // The steps are named, because rows lie by campaign, step and device.
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
            guard let step = TrackedStep(rows.int64(0)) else { continue }
            told.append(
                DeviceTrace.Told(surface: step.surface, type: step.type, detail: rows.text(1), at: rows.time(2))
            )
        }
        return told
    }

    /// Adds what the rows of a shard say of a device, parents before their children; false when there is no row.
    private func addSteps(
        ofShard ordinal: UInt32,
        _ place: TracedPlace,
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
        let next = ShardRows.deathsColumn
        var isFound = false
        while try rows.next() {
            isFound = true
            let record = try ShardRows.record(rows)
            let whole = record.positions.isEmpty && place.position < record.count ? place.position : nil
            guard let position = record.positions.firstIndex(of: UInt16(place.position)) ?? whole else { continue }
            let isForgotten = record.state == .settled && rows.isNull(17)
            trace.steps.append(
                DeviceTrace.Step(
                    attempt: record.attempt,
                    rung: record.rung,
                    state: record.state,
                    aside: record.aside,
                    result: isForgotten ? nil : record.progress.state(at: position),
                    requests: record.progress.requests(at: position),
                    reason: record.progress.notes[UInt16(position)]?.reason,
                    plannedAt: rows.optionalTime(next + 1),
                    begunAt: rows.optionalTime(next + 2),
                    dueAt: record.dueAt,
                    settledAt: record.state == .settled ? rows.time(next) : nil
                )
            )
        }
        return isFound
    }
}
