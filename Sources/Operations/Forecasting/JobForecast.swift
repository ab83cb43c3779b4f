package import Campaigns
package import Delivery
package import PushProviders
package import Settings
package import Store

/// The forecast of a job: its limits by settings, fleet and ledger.
package enum JobForecast {
    /// Returns the limits that all devices of a job have in common.
    package static func common(of job: Job, appPace: Pace?, ahead: [Int] = []) -> [ForecastLimit] {
        let own = job.delivery.perSecond.map { Pace(perSecond: $0, rampUp: job.delivery.rampUp) }
        return [
            own.map { ForecastLimit(.perSecond, $0) }, appPace.map { ForecastLimit(.appPerSecond, $0, ahead: ahead) },
        ].compactMap(\.self)
    }

    /// Returns the limit of a quota; urgent pushes do not wait for one.
    package static func limits(
        of quota: ProviderQuota,
        for job: Job,
        basis: ForecastLimit.Basis = .set,
        ahead: [Int] = []
    ) -> [ForecastLimit] {
        guard job.delivery.policy.urgency == .bulk else { return [] }
        return [ForecastLimit(.quota(quota), RampedRate(Pace(quota)), basis: basis, ahead: ahead)]
    }

    /// Returns the forecast of a job by what its text and the settings tell, without a ledger; nil if it does not name
    /// its devices, or sends nothing.
    package static func ofText(_ job: Job, apps: [AppConfiguration], now: Timestamp) -> Forecast? {
        guard isForecast(job), case .devices = job.audience, let audience = ForecastAudience(inline: job) else {
            return nil
        }
        return Forecast(ask(job, audience, Knowledge(apps: apps), now: now))
    }

    /// Returns the forecast of a job; nil if it sends nothing or is repeated: each run has its own audience.
    ///
    /// Of a large registry a sample is read, of a list its counts; writes nothing.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - apps: The apps that this process knows; of one that it does not know, Google's default quota is assumed.
    ///   - ledger: The ledger.
    package static func read(_ job: Job, apps: [AppConfiguration], in ledger: Ledger) async throws -> Forecast? {
        guard isForecast(job), let audience = try await ForecastAudience.read(job, in: ledger) else { return nil }
        let now = ledger.now()
        let begin = max(job.delivery.sendAt ?? now, now)
        var knowledge = Knowledge(apps: apps)
        (knowledge.workers, knowledge.waiting) = try await ledger.read { reader in
            (
                try reader.knownWorkers(now: now),
                try reader.waitingDevices(exceptApp: job.app, id: job.id, begin: begin, now: now)
            )
        }
        return Forecast(ask(job, audience, knowledge, now: now))
    }

    /// Returns true if the answer to a job that is published takes the time for a forecast: a large bulk campaign does.
    package static func isWorthReading(_ job: Job) -> Bool {
        guard job.delivery.policy.urgency == .bulk else { return false }
        return switch job.audience {
        case .devices(let devices): devices.count > namedMost
        case .users, .channel, .activity: false
        case .list, .segment, .everyone: true
        }
    }

    /// The most devices that a job names and that are not worth it: producers publish many such jobs a second.
    private static let namedMost = 1_000

    private static func isForecast(_ job: Job) -> Bool { job.sendsPushes && job.delivery.repetition == nil }

    // MARK: - The question

    private struct Knowledge {
        var apps: [AppConfiguration]
        /// The workers with their health; nil without a ledger.
        var workers: [WorkerRecord]?
        var waiting: [WaitingDevices] = []

        func app(_ name: String) -> AppConfiguration? { apps.first { $0.name == name } }

        /// The quota of an app's provider; of FCM in an unknown app, Google's default for a project of its own.
        func quota(_ app: String, _ provider: ProviderName) -> (quota: ProviderQuota, basis: ForecastLimit.Basis)? {
            if let known = self.app(app), !known.accounts.isEmpty {
                let account = known.accounts.first { $0.account.provider.name == provider }
                return account?.account.quota.map { ($0, .set) }
            }
            guard provider == .fcm else { return nil }
            let quota = ProviderQuota(provider: provider, holder: app, perMinute: FCMSettings.perMinuteOfGoogle)
            return (quota, .assumed)
        }

        func ahead(_ isCounted: (WaitingDevices, ProviderName) -> Bool) -> [Int] {
            waiting.map { other in
                other.devices.reduce(0) { $0 + (isCounted(other, $1.key) ? $1.value : 0) }
            }.filter { $0 > 0 }
        }
    }

    private static func ask(
        _ job: Job,
        _ audience: ForecastAudience,
        _ knowledge: Knowledge,
        now: Timestamp
    ) -> ForecastAsk {
        let urgency = job.delivery.policy.urgency
        let shares = audience.devices.sorted { $0.key.rawValue < $1.key.rawValue }.map { provider, devices in
            var limits: [ForecastLimit] = []
            if let (quota, basis) = knowledge.quota(job.app, provider) {
                let ahead = knowledge.ahead { other, theirs in
                    theirs == provider && other.urgency == .bulk
                        && knowledge.quota(other.app, theirs)?.quota.key == quota.key
                }
                limits += Self.limits(of: quota, for: job, basis: basis, ahead: ahead)
            }
            if let workers = knowledge.workers,
                let figures = CapacityProvider.all.first(where: { $0.name == provider.rawValue })
            {
                let ahead = knowledge.ahead { $1 == provider && $0.urgency == urgency }
                let power = FleetPower(workers, app: job.app, provider: provider, now: now)
                limits += power.limits(figures, ahead: ahead)
            }
            return ForecastAsk.Share(provider: provider, devices: devices, limits: limits)
        }
        let app = knowledge.app(job.app)
        return ForecastAsk(
            shares,
            common: common(
                of: job,
                appPace: app?.perSecond.map { Pace(perSecond: $0) },
                ahead: knowledge.ahead { other, _ in other.app == job.app }
            ),
            times: ForecastAsk.Times(job, zones: audience.timeZones, own: app?.timeZone, now: now)
        )
    }
}
