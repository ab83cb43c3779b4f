import Campaigns
import Delivery
import Operations
import PushProviders
import Settings
import Store

/// An audience that this planner freezes, with everything that is read before its first device.
struct OpenedAudience {
    /// The audience as of its last checkpoint.
    var audience: FrozenAudience
    /// The job.
    let job: Job
    /// The source of its devices.
    let source: AudienceWalk.Source
    /// The way to its devices in the registry; nil for another source.
    let plan: AudiencePlan?
    /// The devices that are left out.
    let exclusion: Exclusion
    /// The time in which they were read; zero if they were known.
    let exclusionTime: Duration
    /// The right to write: of the campaign, or of a range of its audience.
    var lease: LeaseToken
    /// The providers with a share, if the audience flows.
    var providers: Set<ProviderName>?

    /// Opens an audience at its beginning, or after the last checkpoint; nil when the lease is another worker's or the
    /// campaign is over.
    ///
    /// One that flows does so from here on: `AudienceFlow` decides at its beginning. Then the result is its first
    /// range, with the lease of that.
    static func open(
        _ lease: LeaseToken,
        apps: AppDirectory,
        ledger: Ledger,
        known: inout KnownFilters
    ) async throws -> OpenedAudience? {
        // All tokens that providers have called dead so far are known before any device is taken.
        while try await ledger.write(.normal, { try $0.learnDeadTokens() }) {}
        let found = try await ledger.write(.normal) { try $0.openFrozen(lease, now: ledger.now()) }
        guard let audience = found else { return nil }
        var opened = try await OpenedAudience(audience, lease, ledger, &known)
        if audience.flow != nil {
            opened.providers = try await ledger.read { reader in
                guard let facts = try reader.campaign(lease.campaign) else { return [] }
                return Set(try reader.shares(of: facts).map { $0.share ?? audience.provider })
            }
        } else if lease.range == nil, audience.position == 0, audience.chunks == 0,
            AudienceFlow.wholeReason(of: opened.job, registry: audience.last & 0xFFFF_FFFF) == nil
        {
            guard try await opened.beginFlow(lease, apps: apps, ledger: ledger) else { return nil }
        }
        return opened
    }

    private init(
        _ audience: FrozenAudience,
        _ lease: LeaseToken,
        _ ledger: Ledger,
        _ known: inout KnownFilters
    ) async throws {
        (self.audience, self.lease) = (audience, lease)
        var job = try Job(stored: audience.job)
        // Periods counted from this instant are the same for every planner.
        job.createdAt = audience.createdAt
        self.job = job
        let filter = try await known.filter(of: audience) { [job] in
            try await AudienceFilter.read(of: audience, job, from: ledger)
        }
        (exclusion, exclusionTime) = (filter.exclusion, filter.exclusionTime)
        switch job.audience {
        case .users(let users): (source, plan) = (.users(users), nil)
        case .segment:
            source = .registry(filter.segment)
            plan = try await AudiencePlan.read(filter.segment, last: audience.last, from: ledger)
        case .everyone: (source, plan) = (.registry(nil), nil)
        case .activity(let name): (source, plan) = (.activity(name), nil)
        case .devices, .list, .channel:
            let list = audience.source ?? 0
            let chunks = try await ledger.read { try $0.list(number: list)?.chunks }
            (source, plan) = (.list(list, chunks: chunks ?? 0), nil)
        }
    }

    /// Lets the audience flow, with a share for each provider that the app has; returns false if another worker has it
    /// now.
    private mutating func beginFlow(_ lease: LeaseToken, apps: AppDirectory, ledger: Ledger) async throws -> Bool {
        let (app, accepted, whole) = (audience.app, audience.provider, audience)
        let (live, workers) = try await ledger.read { reader in
            let now = ledger.now()
            return (try reader.liveAccounts(now: now), try reader.liveWorkers(now: now))
        }
        let planners = workers.count { $0.roles.contains("planner") && $0.accounts.providers[app] != nil }
        let served = (live.providers[app] ?? []).union(apps.reported.providers[app] ?? [])
        let known = served.filter { ProviderRegistry.provider(named: $0) != nil }
        let names = AudienceFlow.shares(of: job, served: known, accepted: accepted)
        let contents = names == [accepted] ? [] : try apps.contents(of: job, app: app, for: names)
        var groups: Set<ListChunk.Group> = []
        let sample = try await AudienceSample.measure(
            source,
            by: plan?.index,
            app: app,
            exclusion: exclusion,
            last: audience.last,
            random: UInt64.random(in: 0 ... .max),
            in: ledger,
            isMeant: { [job] in
                guard job.brings(for: $0.group.provider) else { return false }
                groups.insert($0.group)
                return true
            }
        )
        let registry = audience.last & 0xFFFF_FFFF
        let ranges = AudienceRanges.count(
            registry: registry,
            planners: planners,
            expected: sample.estimate(left: registry),
            groups: groups.count
        )
        let flowing = try await ledger.write(.synced) {
            try $0.beginFlow(
                whole,
                providers: names,
                contents: contents,
                sample: sample,
                ranges: ranges,
                by: lease,
                now: ledger.now()
            )
        }
        guard let flowing else { return false }
        (audience, providers) = (flowing, Set(names))
        // The first lease of a range that nobody had before.
        self.lease = LeaseToken(campaign: lease.campaign, range: 0, epoch: 1, worker: lease.worker)
        return true
    }
}

extension AppDirectory {
    /// The content of a job for each of these providers; throws if this version does not know one.
    func contents(of job: Job, app: String, for providers: [ProviderName]) throws -> [CampaignContent] {
        let app = KnownApp(app, in: self)
        return try providers.map { name in
            guard let provider = ProviderRegistry.provider(named: name) else {
                throw LedgerError.failed(
                    "the audience has devices of \(name.rawValue), which this version does not know"
                )
            }
            return app.variants(of: job, for: provider).content
        }
    }
}
