import Campaigns
import Delivery
import PushProviders
import Settings

/// Warnings about a rate that cannot reach all devices in time.
enum RateWarning {
    /// Returns the warnings.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - devices: The number of its devices.
    ///   - appPace: The rate of its app; nil when it has none.
    ///   - quotas: The quotas of its providers, each with the number of the job's devices.
    ///   - now: The instant of acceptance.
    static func warnings(
        _ job: Job,
        devices: Int,
        appPace: Pace?,
        quotas: [(quota: ProviderQuota, devices: Int)] = [],
        now: Timestamp
    ) -> [Problem] {
        let left = job.expiresAt(acceptedAt: now).since(now)
        return rateWarnings(job, devices, appPace, left: left)
            + quotas.compactMap { quotaWarning(job, $0.quota, $0.devices, left: left) }
    }

    private static func rateWarnings(_ job: Job, _ devices: Int, _ appPace: Pace?, left: Duration) -> [Problem] {
        let rates = [job.delivery.perSecond, appPace?.perSecond].compactMap { $0 }
        guard let rate = rates.min(), devices > 0 else { return [] }
        let isAppSlower = job.delivery.perSecond.map { $0 > rate } ?? true
        let lost = isAppSlower ? 0 : lost(rampUp: job.delivery.rampUp)
        let needed = Duration.seconds(Double(devices) / Double(rate) + lost)
        guard needed > left else { return [] }
        let source = isAppSlower ? "\(job.app)'s per_second" : "per_second"
        return [
            Problem(
                pointer: "/delivery/per_second",
                code: .tooSlow,
                detail: "\(NumberText.grouped(devices)) devices at \(NumberText.grouped(rate))/s take "
                    + "\(DurationText.spoken(needed)); the end leaves \(DurationText.spoken(left))",
                fix: "raise \(source), or give a later expires_at"
            )
        ]
    }

    private static func quotaWarning(_ job: Job, _ quota: ProviderQuota, _ devices: Int, left: Duration) -> Problem? {
        // Urgent pushes do not wait for a quota.
        guard job.delivery.policy.urgency == .bulk, devices > 0 else { return nil }
        let pace = Pace(quota)
        let seconds = Double(devices) * 60 / Double(pace.perMinute)
        // Most ramps start again; with few devices all are sent before the ramp is over.
        let needed = Duration.seconds(seconds + min(lost(rampUp: pace.rampUp), seconds * Double(Pace.rampFloor - 1)))
        guard needed > left else { return nil }
        return Problem(
            pointer: "/delivery/expires_at",
            code: .tooSlow,
            detail: "\(NumberText.grouped(devices)) devices of \(quota.provider.rawValue) at its quota of "
                + "\(NumberText.grouped(quota.perMinute)) a minute take \(DurationText.spoken(needed)); the end leaves "
                + "\(DurationText.spoken(left))",
            fix: "give a later expires_at, or have the quota of \(quota.holder) raised, and then that of "
                + "\(job.app) in apps.yaml"
        )
    }

    /// Returns the seconds that a ramp costs: while it grows from a tenth to the whole, it averages 55 % of the rate.
    private static func lost(rampUp: Int) -> Double { Double(rampUp) * 0.45 }
}
