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
    /// The most chunks in a transaction: about 2 MB, so that workers on the same ledger need not wait.
    private static let chunksMax = 100
    /// The devices between two checkpoints, at which all open chunks are closed.
    private static let checkpointDevices = 250_000

    private let ledger: Ledger
    private let apps: AppDirectory
    private let job: Job
    let lease: LeaseToken
    private let walk: AudienceWalk
    private let findsDead: Bool
    private let skipsDenied: Bool
    private var audience: FrozenAudience
    private var builder: ListBuilder
    private var waiting: [ListChunk] = []
    private var chunkCount: Int
    private var devicesAtCheckpoint: Int
    private let withoutTokenBefore: Int

    /// Starts, or continues after the last checkpoint; nil when the lease is another worker's or the campaign is over.
    static func open(_ lease: LeaseToken, apps: AppDirectory, ledger: Ledger) async throws -> AudienceFreezer? {
        // All tokens that providers have called dead so far are known before any device is taken.
        while try await ledger.write(.normal, { try $0.learnDeadTokens() }) {}
        let opened = try await ledger.write(.normal) { try $0.openFrozen(lease, now: ledger.now()) }
        guard let audience = opened else { return nil }
        var job = try Job(stored: audience.job)
        // Periods counted from this instant are the same for every planner.
        job.createdAt = audience.createdAt
        let now = ledger.now()
        let exclusion = try await Exclusion.read(
            job.exclude,
            app: audience.app,
            list: audience.excluded,
            now: now,
            from: ledger
        )
        var segment: TrackedSegment?
        if case .segment(let asked) = job.audience {
            segment = try await TrackedSegment.read(asked, app: audience.app, now: now, from: ledger)
        }
        return AudienceFreezer(audience, job, segment, exclusion, lease, apps, ledger)
    }

    private init(
        _ audience: FrozenAudience,
        _ job: Job,
        _ segment: TrackedSegment?,
        _ exclusion: Exclusion,
        _ lease: LeaseToken,
        _ apps: AppDirectory,
        _ ledger: Ledger
    ) {
        self.ledger = ledger
        self.apps = apps
        self.job = job
        self.lease = lease
        self.audience = audience
        let source: AudienceWalk.Source
        switch job.audience {
        case .users(let users): source = .users(users)
        case .segment: source = .registry(segment)
        case .everyone: source = .registry(nil)
        case .devices, .list: source = .list(audience.source ?? 0)
        }
        walk = AudienceWalk(
            source,
            app: audience.app,
            exclusion: exclusion,
            carriesVariables: audience.carriesVariables,
            from: audience.position,
            to: audience.last,
            in: ledger
        )
        findsDead = audience.source != nil
        skipsDenied = audience.pushType == .alert
        builder = ListBuilder(chunksBefore: audience.chunks, devicesBefore: audience.devices)
        (chunkCount, devicesAtCheckpoint) = (audience.chunks, audience.devices)
        withoutTokenBefore = audience.withoutToken
    }

    /// Works for about this long; returns `written` while there is more to do.
    func step(upTo limit: Duration) async throws -> FreezeResult {
        let end = ContinuousClock.now + limit
        while !walk.isOver {
            try await walk.next { member in
                // A native push is only for providers that it has a payload for.
                guard job.brings(for: member.group.provider) else { return }
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
            if try await write() == .fenced { return .fenced }
            if ContinuousClock.now >= end, !walk.isOver { return .written }
        }
        guard try await write(closing: true) == .written else { return .fenced }
        let (final, lease) = (audience, lease)
        let (contents, parts) = (try await contents(), try await parts())
        return try await ledger.write(.synced) { [ledger] in
            try $0.finishFrozen(final, contents: contents, parts: parts, by: lease, now: ledger.now())
        }
    }

    /// Returns the content for each provider of the devices; empty if the campaign was accepted for that provider.
    private func contents() async throws -> [CampaignContent] {
        let list = audience.list
        let found = try await ledger.read { try $0.chunkProviders(list: list) }
        if found.isEmpty || found == [audience.provider] { return [] }
        let app = KnownApp(audience.app, in: apps)
        return try found.map { name in
            guard let provider = ProviderRegistry.provider(named: name) else {
                throw LedgerError.failed(
                    "the audience has devices of \(name.rawValue), which this version does not know"
                )
            }
            return app.variants(of: job, for: provider).content
        }
    }

    /// Returns the parts of a campaign that is cut by time zone; only the lease's holder writes to its list.
    private func parts() async throws -> [NewPart] {
        guard job.isByTimeZone else { return [] }
        let list = audience.list
        let zones = try await ledger.read { try $0.timeZones(list: list) }
        return apps.parts(of: job, zones: Set(zones), at: ledger.now())
    }

    /// Writes the chunks that are complete; at a checkpoint or the end, all of them.
    private func write(closing: Bool = false) async throws -> FreezeResult {
        let isDue = closing || Int(builder.deviceCount) - devicesAtCheckpoint >= Self.checkpointDevices
        if isDue { waiting += builder.finish() }
        guard isDue || waiting.count >= Self.chunksMax else { return .written }
        let chunks = waiting
        waiting.removeAll(keepingCapacity: true)
        chunkCount += chunks.count
        var starts = Array(stride(from: 0, to: chunks.count, by: Self.chunksMax))
        if starts.isEmpty { starts = [0] }
        for start in starts {
            let end = min(start + Self.chunksMax, chunks.count)
            let isCheckpoint = isDue && end == chunks.count
            if isCheckpoint {
                (audience.position, audience.chunks) = (walk.position, chunkCount)
                audience.devices = Int(builder.deviceCount)
                audience.withoutToken = withoutTokenBefore + walk.withoutToken
                devicesAtCheckpoint = audience.devices
            }
            let (piece, now, finds, lease) = (Array(chunks[start..<end]), audience, findsDead, lease)
            let result = try await ledger.write(.normal, priority: .withOthers) { [ledger] in
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
        return .written
    }
}
