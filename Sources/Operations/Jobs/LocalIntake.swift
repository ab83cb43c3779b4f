package import Campaigns
package import Delivery
package import PushProviders
package import Settings
package import Store
import TLS

/// The rules of intake, applied before a job is published, as far as a producer on the ledger's host can know.
package enum LocalIntake {
    /// Returns the problems and warnings of a job; `apps` are those that this host knows, none if it knows none.
    package static func check(_ job: Job, apps: [AppConfiguration], now: Timestamp) -> JobCheck {
        let app = apps.first { $0.name == job.app }
        let known = KnownApp(app)
        let providers = providers(of: job, app)
        var check = known.check(job, with: providers, now: now)
        check.warnings += personal(job, known, providers) + job.leftOutWarnings(among: app?.providers ?? [])
        return check
    }

    /// Returns the providers of the job's devices; if it does not name devices, those that the app has accounts with;
    /// for an unknown app the first built-in provider that the job may reach.
    private static func providers(of job: Job, _ app: AppConfiguration?) -> [any PushProvider] {
        if !job.sendsPushes { return [] }
        if case .devices(let devices) = job.audience {
            let names = Set(devices.map(\.provider))
            return ProviderRegistry.providers.filter { names.contains($0.name) }
        }
        guard let app else { return Array(ProviderRegistry.providers.filter { job.mayReach($0.name) }.prefix(1)) }
        return app.allAccounts.map(\.provider).filter { job.mayReach($0.name) }
    }

    /// Returns warnings about the variables of the job's own devices.
    private static func personal(_ job: Job, _ app: KnownApp, _ providers: [any PushProvider]) -> [Problem] {
        guard case .devices(let devices) = job.audience, job.usesVariables else { return [] }
        return providers.flatMap { provider -> [Problem] in
            let preview = try? ContentPreview(app.variants(of: job, for: provider))
            let theirs = devices.filter { $0.provider == provider.name }
            return preview.map { ContentPreview.warnings($0.samples(theirs)) } ?? []
        }
    }

    /// Returns the preview for single devices; nil when a template does not compile.
    package static func preview(_ job: Job, apps: [AppConfiguration]) -> JobPreview? {
        let app = KnownApp(apps.first { $0.name == job.app })
        var previews: [ProviderName: ContentPreview] = [:]
        for provider in ProviderRegistry.providers {
            guard let preview = try? ContentPreview(app.variants(of: job, for: provider)) else { return nil }
            previews[provider.name] = preview
        }
        return JobPreview(previews: previews)
    }

    /// Returns the badges that devices would get from the registry's present counts; nil for an unknown device.
    package static func badges(
        _ devices: [Device],
        of job: Job,
        in ledger: Ledger
    ) async throws(LedgerError) -> [Int?] {
        guard let step = job.content.badgeChange?.step else { return devices.map { _ in nil } }
        let tokens = devices.map { ProviderRegistry.tokens.bytes(of: $0) }
        return try await ledger.read { reader in
            try zip(devices, tokens).map { device, token in
                try reader.device(app: job.app, provider: device.provider, token: token).map {
                    step.applied(to: $0.badge)
                }
            }
        }
    }

    /// Returns the hash by which a repeated job is recognized.
    package static func identity(of job: Job) -> [UInt8] { SHA256.digest(job.canonicalJSON()) }

    /// Returns intake's answer to a job whose key belongs to a campaign, or to a job that a server has sent and that
    /// waits for its verdict, even if the job is invalid by now; else nil.
    ///
    /// `job` was decoded without judging its time.
    package static func known(
        _ job: Job,
        in ledger: Ledger
    ) async throws(LedgerError) -> IntakeDecision? {
        let (app, id, now) = (job.app, job.id, ledger.now())
        let holder = try await ledger.read { reader in
            let campaign = try reader.holder(app: app, id: id)
            guard campaign == .none, let sent = try reader.sentJob(app: app, id: id) else { return campaign }
            return sent.holder(refusedAt: try reader.refusedAt(app: app, id: id), now: now)
        }
        return IntakeDecision.known(job: job, identity: identity(of: job), holder: holder)
    }

    /// Notes for every server that a job is with the broker; `at` is the ledger's time before it was published.
    package static func noteSent(_ job: Job, at: Timestamp, in ledger: Ledger) async throws(LedgerError) {
        let sent = SentJob(identity: identity(of: job), at: at)
        try await ledger.write(.normal) { try $0.note(sent, app: job.app, id: job.id) }
    }

    /// Returns intake's answer to a valid job, as far as the ledger tells.
    ///
    /// An app and its providers are known as intake knows them: live workers have them. Without live workers every app
    /// is, because a worker that starts later may have it. `content`: the id of a content that is stored before the job
    /// is published, and may not exist yet.
    package static func decide(
        _ job: Job,
        bringing content: String? = nil,
        in ledger: Ledger
    ) async throws(LedgerError) -> IntakeDecision {
        let (store, now) = (ledger.storeID, ledger.now())
        var knowledge = try await ledger.read { reader in
            let live = try reader.liveAccounts(now: now).providers
            let served = live[job.app]
            var knowledge = try reader.knowledge(of: job, isAppKnown: live.isEmpty || served != nil, store: store)
            if let served { knowledge.unserved = Set(knowledge.providers).subtracting(served) }
            return knowledge
        }
        if let content, job.content.rich?.id == content { knowledge.isContentKnown = true }
        return IntakeDecision.decide(job: job, identity: identity(of: job), knowledge: knowledge)
    }
}
