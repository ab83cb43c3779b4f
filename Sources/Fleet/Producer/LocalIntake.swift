public import Campaigns
public import Delivery
import PushProviders
public import Store
import TLS

/// What a producer on the ledger's host can know of a job before it is published: the rules of intake, asked early.
public enum LocalIntake {
    /// What the providers find wrong with a job; `apps` are those that this host knows, none where it knows none.
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

    /// The job as devices of a provider get it, by the app's settings; as it is where the app is not known.
    private static func completed(_ job: Job, for provider: any PushProvider, _ app: AppConfiguration?) -> Job {
        guard let app else { return job }
        let account = app.accounts.first { $0.account.provider.name == provider.name }?.account
        return app.rules.completed(account?.completed(job) ?? job, for: provider.name)
    }

    /// Those of its devices, as far as it says which; else those that the app has accounts with, and for an app that is not
    /// known here the first that is built in.
    private static func providers(of job: Job, _ app: AppConfiguration?) -> [any PushProvider] {
        if !job.sendsPushes { return [] }
        if case .devices(let devices) = job.audience {
            let names = Set(devices.map(\.provider))
            return ProviderRegistry.providers.filter { names.contains($0.name) }
        }
        let all = app.map { $0.accounts.map(\.account.provider) } ?? Array(ProviderRegistry.providers.prefix(1))
        return all.filter { job.mayReach($0.name) }
    }

    /// What the variables of the job's own devices make of its content.
    private static func personal(_ job: Job, _ app: AppConfiguration?, carriesMessageID: Bool) -> [Problem] {
        guard case .devices(let devices) = job.audience, job.usesVariables else { return [] }
        return providers(of: job, app).flatMap { provider -> [Problem] in
            let own = completed(job, for: provider, app)
            let preview = try? ContentPreview(own, provider, carriesMessageID: carriesMessageID)
            let theirs = devices.filter { $0.provider == provider.name }
            return preview.map { ContentPreview.warnings($0.samples(theirs)) } ?? []
        }
    }

    /// What single devices will get; nil when a template does not compile.
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

    /// The badges that devices would get, counted on what the registry has now; nil for a device that it does not have.
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

    /// What intake will say of a job whose key a campaign has, whatever is wrong with the job by now; nil when none has.
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

    /// What intake will say of a good job, as far as the ledger tells.
    ///
    /// Whether a worker knows the app is left to the worker that takes the job: it may start later. `content`: one that is
    /// put before the job is published, and need not be there yet.
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
