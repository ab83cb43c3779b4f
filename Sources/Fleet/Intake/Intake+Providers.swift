import Campaigns
import Delivery
import Operations
import PushProviders
import Settings
import Store

/// The providers that a job is for.
extension Intake {
    /// The providers that check a job, and those that compile it.
    struct Providers {
        /// The providers whose problems refuse the job: those of its devices, if some worker can send to them.
        var checked: [any PushProvider]
        /// The providers that the job is compiled for; at least one.
        ///
        /// While its devices are not known, the most probable provider comes first; if the audience turns out to have
        /// others, they are compiled when it is materialized.
        var meant: [any PushProvider]
        /// The problems of a list that a later version has written.
        var problems: [Problem]
        /// The warnings about providers that the job has no content for.
        var warnings: [Problem] = []
    }

    func providers(of job: Job, _ knowledge: IntakeDecision.Knowledge, served: Set<ProviderName>) -> Providers {
        if !job.sendsPushes { return Providers(checked: [], meant: [], problems: []) }
        // A segment may be restricted to the devices of one provider.
        let reached = ProviderRegistry.providers.filter { job.mayReach($0.name) }
        let all = reached.isEmpty ? ProviderRegistry.ofBlocks : reached
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

    /// Returns the quotas of a job's providers with the devices that wait for each, where both are known; the shares
    /// of a list with several providers are not known.
    func quotas(of job: Job, _ knowledge: IntakeDecision.Knowledge) -> [(quota: ProviderQuota, devices: Int)] {
        knowledge.providers.compactMap { provider in
            guard let quota = apps.quota(app: job.app, provider: provider) else { return nil }
            switch job.audience {
            case .devices(let devices): return (quota, devices.count { $0.provider == provider })
            case .list where knowledge.providers.count == 1: return (quota, knowledge.deviceCount)
            case .list, .users, .segment, .everyone, .channel, .activity: return nil
            }
        }
    }

    /// Returns the providers for a run of a repeated campaign, whose job was checked.
    func providers(ofRun job: Job, list: UInt32?, now: Timestamp) async throws -> [any PushProvider] {
        let (knowledge, served) = try await ledger.read { [store = ledger.storeID, worker] reader in
            var knowledge = try reader.knowledge(of: job, isAppKnown: true, store: store)
            if let list { knowledge.providers = try reader.providers(list: list) }
            return (knowledge, try reader.liveAccounts(now: now, asking: worker).providers[job.app] ?? [])
        }
        return providers(of: job, knowledge, served: served).meant
    }
}

extension AppDirectory {
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
