import Campaigns
import Delivery
import PushProviders
import Store

/// Which providers a job is for.
extension Intake {
    /// What is checked and what is compiled.
    struct Providers {
        /// Those whose problems refuse the job: of its devices, as far as somebody can send to them.
        var checked: [any PushProvider]
        /// Those that it is compiled for; at least one.
        ///
        /// While its devices are not known, the one that is most probable comes first: what is found later is compiled by
        /// whoever materialises the audience.
        var meant: [any PushProvider]
        /// Of a list that a later version has written.
        var problems: [Problem]
        /// Of those that the job has nothing for.
        var warnings: [Problem] = []
    }

    func providers(of job: Job, _ knowledge: IntakeDecision.Knowledge, served: Set<ProviderName>) -> Providers {
        if !job.sendsPushes { return Providers(checked: [], meant: [], problems: []) }
        // A segment may say for itself that it means devices of one provider only.
        let reached = ProviderRegistry.providers.filter { job.mayReach($0.name) }
        let all = reached.isEmpty ? ProviderRegistry.providers : reached
        let ours = all.filter { served.contains($0.name) }
        let named = all.filter { knowledge.providers.contains($0.name) }
        let isKnown = !named.isEmpty && !job.isFrozenFirst
        let candidates = named.isEmpty ? all : named
        let likely = candidates.filter { served.contains($0.name) }
        let others = candidates.filter { !served.contains($0.name) }
        let checked = named.isEmpty ? ours : named.filter { served.contains($0.name) }
        return Providers(
            checked: checked.isEmpty ? candidates : checked,
            meant: isKnown ? named : likely + others,
            problems: knowledge.providers.filter { ProviderRegistry.provider(named: $0) == nil }.map {
                Problem(
                    pointer: "/audience/list",
                    code: .unservedProvider,
                    detail: "the list has devices of \($0.rawValue), which this version does not know",
                    fix: "update the workers, or leave these devices out"
                )
            },
            warnings: job.leftOutWarnings(among: served.sorted())
        )
    }

    /// The quotas of a job's providers, with how many of its devices wait for each, where both are known; of a list with
    /// devices of several providers the share of each is not.
    func quotas(of job: Job, _ knowledge: IntakeDecision.Knowledge) -> [(quota: ProviderQuota, devices: Int)] {
        knowledge.providers.compactMap { provider in
            guard let quota = apps.quota(app: job.app, provider: provider) else { return nil }
            switch job.audience {
            case .devices(let devices): return (quota, devices.count { $0.provider == provider })
            case .list where knowledge.providers.count == 1: return (quota, knowledge.deviceCount)
            case .list, .users, .segment, .everyone: return nil
            }
        }
    }

    /// The same for a run of a repeated campaign, whose job was checked.
    func providers(ofRun job: Job, list: UInt32?, now: Timestamp) async throws -> [any PushProvider] {
        let (knowledge, served) = try await ledger.read { [store = ledger.storeID] reader in
            var knowledge = try reader.knowledge(of: job, isAppKnown: true, store: store)
            if let list { knowledge.providers = try reader.providers(list: list) }
            return (knowledge, try reader.liveAccounts(now: now).providers[job.app] ?? [])
        }
        return providers(of: job, knowledge, served: served).meant
    }
}

extension AppDirectory {
    /// A job with what the app's settings with a provider say where the job says nothing, as far as this process has them.
    func completed(_ job: Job, for provider: any PushProvider) -> Job {
        let job = account(app: job.app, provider: provider.name)?.account.completed(job) ?? job
        return rules(of: job.app).completed(job, for: provider.name)
    }

    /// Whether an app's pushes carry the `fanfare` object: this process has a key to sign its message ids with.
    func signsMessageIDs(_ app: String) -> Bool {
        ProviderRegistry.providers.contains { account(app: app, provider: $0.name)?.messageKeys != nil }
    }

    /// The providers of each app, as workers report them.
    var reported: AppAccounts {
        var accounts = AppAccounts()
        for app in names {
            let known = ProviderRegistry.providers.map(\.name).filter { account(app: app, provider: $0) != nil }
            accounts.providers[app] = Set(known)
        }
        return accounts
    }
}
