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
        let sent = job.asSent(at: now)
        let checks = providers(of: app).map { $0.check(sent, carriesMessageID: carriesMessageID) }
        let media = app == nil || carriesMessageID ? [] : MediaAddress.warnings(job)
        return (
            checks.flatMap(\.problems) + RepeatCheck.problems(job, now: now),
            checks.flatMap(\.warnings) + media + personal(job, app, carriesMessageID: carriesMessageID)
        )
    }

    /// Those that an app has accounts with; for an app that is not known here, the first that is built in.
    private static func providers(of app: AppConfiguration?) -> [any PushProvider] {
        app.map { $0.accounts.map(\.account.provider) } ?? Array(ProviderRegistry.providers.prefix(1))
    }

    /// What the variables of the job's own devices make of its content.
    private static func personal(_ job: Job, _ app: AppConfiguration?, carriesMessageID: Bool) -> [Problem] {
        guard case .devices(let devices) = job.audience, job.usesVariables else { return [] }
        return providers(of: app).flatMap { provider -> [Problem] in
            let preview = try? ContentPreview(job, provider, carriesMessageID: carriesMessageID)
            return preview.map { ContentPreview.warnings($0.samples(devices)) } ?? []
        }
    }

    /// What single devices will get; nil when no provider is built in, or a template does not compile.
    public static func preview(_ job: Job, apps: [AppConfiguration]) -> ContentPreview? {
        let carriesMessageID = apps.first { $0.name == job.app }?.messageKeys != nil
        return ProviderRegistry.providers.first.flatMap {
            try? ContentPreview(job, $0, carriesMessageID: carriesMessageID)
        }
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

    /// What intake will say of a good job, as far as the ledger tells.
    ///
    /// Whether a worker knows the app is left to the worker that takes the job: it may start later.
    public static func decide(_ job: Job, in ledger: Ledger) async throws(LedgerError) -> IntakeDecision {
        let identity = SHA256.digest(job.canonicalJSON())
        let store = ledger.storeID
        let knowledge = try await ledger.read { try $0.knowledge(of: job, isAppKnown: true, store: store) }
        return IntakeDecision.decide(job: job, identity: identity, knowledge: knowledge)
    }
}
