public import Campaigns
public import Delivery
import PushProviders
public import Store
import TLS

/// The rules of intake, applied before a job is published, as far as a producer on the ledger's host can know.
public enum LocalIntake {
    /// Returns the problems and warnings of a job; `apps` are those that this host knows, none if it knows none.
    public static func check(
        _ job: Job,
        apps: [AppConfiguration],
        now: Timestamp
    ) -> (problems: [Problem], warnings: [Problem]) {
        let app = apps.first { $0.name == job.app }
        let carriesMessageID = app?.messageKeys != nil
        let rules = app?.rules ?? AppContentRules()
        let sent = job.asSent(at: now)
        let checks = providers(of: job, app).map { provider in
            provider.check(completed(sent, for: provider, app), carriesMessageID: carriesMessageID)
        }
        let isBare = app != nil && !carriesMessageID
        let media = isBare ? MediaAddress.warnings(job) : FanfareObject.warnings(job)
        let named = isBare ? NamedContent.problems(job) : []
        return (
            checks.flatMap(\.problems) + RepeatCheck.problems(job, now: now) + rules.problems(job) + named,
            checks.flatMap(\.warnings) + media
                + personal(job, app, carriesMessageID: carriesMessageID)
                + job.leftOutWarnings(among: app?.providers ?? [])
        )
    }

    /// Returns the job with the app's settings for a provider, or unchanged if the app is not known.
    private static func completed(_ job: Job, for provider: any PushProvider, _ app: AppConfiguration?) -> Job {
        guard let app else { return job }
        let account = app.accounts.first { $0.account.provider.name == provider.name }?.account
        return app.rules.completed(account?.completed(job) ?? job, for: provider.name)
    }

    /// Returns the providers of the job's devices; if it does not name devices, those that the app has accounts with;
    /// for an unknown app the first built-in provider.
    private static func providers(of job: Job, _ app: AppConfiguration?) -> [any PushProvider] {
        if !job.sendsPushes { return [] }
        if case .devices(let devices) = job.audience {
            let names = Set(devices.map(\.provider))
            return ProviderRegistry.providers.filter { names.contains($0.name) }
        }
        let all = app.map { $0.accounts.map(\.account.provider) } ?? Array(ProviderRegistry.providers.prefix(1))
        return all.filter { job.mayReach($0.name) }
    }

    /// Returns warnings about the variables of the job's own devices.
    private static func personal(_ job: Job, _ app: AppConfiguration?, carriesMessageID: Bool) -> [Problem] {
        guard case .devices(let devices) = job.audience, job.usesVariables else { return [] }
        return providers(of: job, app).flatMap { provider -> [Problem] in
            let own = completed(job, for: provider, app)
            let preview = try? ContentPreview(own, provider, carriesMessageID: carriesMessageID)
            let theirs = devices.filter { $0.provider == provider.name }
            return preview.map { ContentPreview.warnings($0.samples(theirs)) } ?? []
        }
    }

    /// Returns the preview for single devices; nil when a template does not compile.
    public static func preview(_ job: Job, apps: [AppConfiguration]) -> JobPreview? {
        let app = apps.first { $0.name == job.app }
        let carriesMessageID = app?.messageKeys != nil
        var previews: [ProviderName: ContentPreview] = [:]
        for provider in ProviderRegistry.providers {
            let own = completed(job, for: provider, app)
            let preview = try? ContentPreview(own, provider, carriesMessageID: carriesMessageID)
            guard let preview else { return nil }
            previews[provider.name] = preview
        }
        return JobPreview(previews: previews)
    }

    /// Returns the badges that devices would get from the registry's present counts; nil for an unknown device.
    public static func badges(
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

    /// Returns intake's answer to a job whose key belongs to a campaign, even if the job is invalid by now; else nil.
    ///
    /// `job` was decoded without judging its time.
    public static func known(
        _ job: Job,
        in ledger: Ledger
    ) async throws(LedgerError) -> IntakeDecision? {
        let (app, id) = (job.app, job.id)
        let campaign = try await ledger.read { try $0.knownCampaign(app: app, id: id) }
        let identity = SHA256.digest(job.canonicalJSON())
        return campaign.flatMap { IntakeDecision.known(job: job, identity: identity, holder: $0.holder) }
    }

    /// Returns intake's answer to a valid job, as far as the ledger tells.
    ///
    /// Only the worker that takes the job can tell if the app is known: that worker may start later. `content`: the id
    /// of a content that is stored before the job is published, and may not exist yet.
    public static func decide(
        _ job: Job,
        bringing content: String? = nil,
        in ledger: Ledger
    ) async throws(LedgerError) -> IntakeDecision {
        let identity = SHA256.digest(job.canonicalJSON())
        let store = ledger.storeID
        var knowledge = try await ledger.read { try $0.knowledge(of: job, isAppKnown: true, store: store) }
        if let content, job.content.rich?.id == content { knowledge.isContentKnown = true }
        return IntakeDecision.decide(job: job, identity: identity, knowledge: knowledge)
    }
}
