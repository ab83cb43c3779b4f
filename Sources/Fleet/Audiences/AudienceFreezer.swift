import Campaigns
import Delivery
import Operations
import PushProviders
import Settings
import Store

/// Materializes a campaign's audience into a list, step by step (design, section 10: frozen audience).
///
/// Every write is fenced by the planner's lease. The next holder of the lease continues after the last checkpoint.
/// Confined to the planner's task.
final class AudienceFreezer {
    /// The most chunks in a transaction, about 1 MB: an urgent campaign's acceptance waits for the end of it.
    private static let chunksMax = 32
    /// The fewest device numbers of a page, in a registry of which few are meant.
    private static let spanMin = 512

    private let ledger: Ledger
    private let apps: AppDirectory
    private let job: Job
    /// The right to write: for the whole campaign, or for a range of its audience.
    let lease: LeaseToken
    private let walk: AudienceWalk
    private let findsDead: Bool
    private let skipsDenied: Bool
    /// The few providers with a share, of an audience that flows; nil for others, whose providers are found with it.
    private let providers: [ProviderName]?
    private var audience: FrozenAudience
    private var builder: ListBuilder
    private var pieces: AudiencePieces
    private var waiting: [ListChunk] = []
    private var chunkCount: Int
    /// The index of the first device.
    private let firstIndex: Int
    private let withoutTokenBefore: Int
    /// The devices whose providers the app does not have, of an audience that flows.
    private var unserved = 0

    /// Creates the work for an audience as it stands in the ledger.
    init(_ opened: OpenedAudience, apps: AppDirectory, ledger: Ledger) {
        let audience = opened.audience
        (self.ledger, self.apps, self.lease, self.audience) = (ledger, apps, opened.lease, audience)
        (job, providers) = (opened.job, opened.providers.map { Array($0) })
        walk = AudienceWalk(
            opened.source,
            app: audience.app,
            exclusion: opened.exclusion,
            carriesVariables: audience.carriesVariables,
            from: audience.position,
            to: audience.last,
            by: opened.plan?.index,
            starting: opened.job.startedType,
            in: ledger
        )
        findsDead = audience.source != nil
        skipsDenied = audience.skipsDenied
        builder = ListBuilder(chunksBefore: audience.nextOrdinal, devicesBefore: audience.nextIndex)
        firstIndex = audience.nextIndex - audience.devices
        pieces = AudiencePieces(
            flows: audience.flow != nil,
            devices: audience.devices,
            splits: audience.flow?.splits ?? 0,
            expected: audience.estimate,
            isOfRange: audience.flow.map { $0.ranges > 1 } ?? false
        )
        chunkCount = audience.chunks
        withoutTokenBefore = audience.withoutToken
    }

    /// About the number of devices that were not looked at yet.
    var left: Int64 { walk.left }

    /// The rows that were read so far.
    var rowsRead: AudienceWalk.RowsRead { walk.rowsRead }

    /// Works for a slice; returns `written` while there is more to do, and `passed` as soon as a piece of an audience
    /// that flows may be cut.
    ///
    /// `isHinted` tells whether campaigns may have changed since the slice began.
    func step(_ slice: FreezingSlice, isHinted: () -> Bool) async throws -> FreezeResult {
        if let whole = try await adopted() { return whole }
        let begun = ContinuousClock.now
        while !walk.isOver {
            setSpan()
            try await walk.next { member in
                // A native push is only for providers that it has a payload for.
                guard job.brings(for: member.group.provider) else { return }
                if let providers, !providers.contains(member.group.provider) {
                    unserved += 1
                    return
                }
                let chunk = builder.add(
                    member.group,
                    token: member.token,
                    id: member.id,
                    variables: member.variables,
                    isOptedOut: skipsDenied && member.isDenied,
                    isSuspect: member.isSuspect
                )
                if let chunk { waiting.append(chunk) }
            }
            switch try await write() {
            case .fenced: return .fenced
            case .passed where !walk.isOver: return .passed
            default: break
            }
            let goesOn = slice.goesOn(used: ContinuousClock.now - begun, isHinted: isHinted())
            if !goesOn, !walk.isOver { return .written }
        }
        if try await write(closing: true) == .fenced { return .fenced }
        let (final, lease) = (audience, lease)
        let (contents, parts) = (try await contents(), try await parts(of: audience.list))
        return try await ledger.write(.synced) { [ledger] in
            try $0.finishFrozen(final, contents: contents, parts: parts, by: lease, now: ledger.now())
        }
    }

    /// Gives the campaign an uploaded list itself, if all of its devices are meant; nil if they must be looked at.
    private func adopted() async throws -> FreezeResult? {
        guard let source = audience.source, audience.excluded == nil, job.exclude == nil, audience.chunks == 0,
            case .list = job.audience
        else { return nil }
        let found = try await ledger.read { try $0.chunkProviders(list: source) }
        guard !found.isEmpty, found.allSatisfy(job.brings(for:)) else { return nil }
        let isKnown = found == [audience.provider]
        let contents = isKnown ? [] : try apps.contents(of: job, app: audience.app, for: found)
        let (whole, lease, parts) = (audience, lease, try await parts(of: source))
        return try await ledger.write(.synced) { [ledger] in
            try $0.adoptSource(of: whole, contents: contents, parts: parts, by: lease, now: ledger.now())
        }
    }

    /// Chooses the page's size: the first pieces are smaller than a page.
    private func setSpan() {
        let missing = pieces.devices + pieces.size - devices
        walk.span = min(LedgerReader.registryPageSpan, Int64(max(Self.spanMin, missing)))
    }

    /// All devices so far, those in chunks under construction too.
    private var devices: Int { written + builder.openDeviceCount }

    /// The devices so far in chunks that are complete.
    private var written: Int { Int(builder.deviceCount) - firstIndex }

    /// Returns the content for each provider of the devices; empty if the campaign was accepted for that provider.
    private func contents() async throws -> [CampaignContent] {
        guard audience.flow == nil else { return [] }
        let list = audience.list
        let found = try await ledger.read { try $0.chunkProviders(list: list) }
        if found.isEmpty || found == [audience.provider] { return [] }
        return try apps.contents(of: job, app: audience.app, for: found)
    }

    /// Returns the parts of a campaign that is cut by time zone; only the lease's holder writes to its list.
    private func parts(of list: UInt32) async throws -> [NewPart] {
        guard job.isByTimeZone else { return [] }
        let zones = try await ledger.read { try $0.timeZones(list: list) }
        return apps.parts(of: job, zones: Set(zones), at: ledger.now())
    }

    private var isFlowing: Bool { audience.flow != nil }

    /// Writes the chunks that are complete; at a checkpoint or the end, all of them.
    private func write(closing: Bool = false) async throws -> FreezeResult {
        let open = builder.openCount
        let isDue = closing || pieces.isDue(devices: devices, open: open)
        if isDue { waiting += builder.finish() }
        // Before a checkpoint only whole transactions: what is left waits for more.
        let due = isDue ? waiting.count : waiting.count / Self.chunksMax * Self.chunksMax
        guard isDue || due > 0 else { return .written }
        let chunks = Array(waiting[..<due])
        waiting.removeFirst(due)
        chunkCount += chunks.count
        var starts = Array(stride(from: 0, to: chunks.count, by: Self.chunksMax))
        // Of an audience that flows, only the step of the cursor needs the ledger to itself.
        if isFlowing ? isDue : starts.isEmpty { starts.append(chunks.count) }
        var result = FreezeResult.written
        for start in starts {
            let end = min(start + Self.chunksMax, chunks.count)
            let isCheckpoint = isDue && start == starts.last
            if isCheckpoint { moveCursor(open: open) }
            let (piece, now, finds, lease) = (Array(chunks[start..<end]), audience, findsDead, lease)
            let scope: Ledger.WriteScope = isFlowing && !isCheckpoint ? .shards : .ledger
            // The synced cut of these chunks, or the end of the audience, is behind this in the same log.
            result = try await ledger.write(.normal, priority: .withOthers, scope: scope) { [ledger] in
                try $0.writeFrozen(
                    piece,
                    of: now,
                    isCheckpoint: isCheckpoint,
                    findsDead: finds,
                    by: lease,
                    now: ledger.now()
                )
            }
            if result == .fenced { return .fenced }
        }
        return result
    }

    private func moveCursor(open: Int) {
        pieces.passed(devices: written, open: open)
        (audience.position, audience.chunks, audience.devices) = (walk.position, chunkCount, pieces.devices)
        audience.withoutToken = withoutTokenBefore + walk.withoutToken + unserved
        audience.flow?.splits = pieces.splits
    }
}
