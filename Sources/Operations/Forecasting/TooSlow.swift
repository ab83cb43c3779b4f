package import Campaigns
package import Delivery
package import PushProviders
import Settings

/// The warning about a campaign that cannot reach all devices before its end.
///
/// Intake, the API and the commands have the same one: it is what a forecast says is slow.
package enum TooSlow {
    /// Returns the warnings as far as settings alone limit a job.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - devices: The number of its devices.
    ///   - appPace: The rate of its app; nil when it has none.
    ///   - quotas: The quotas of its providers, each with the number of the job's devices.
    ///   - now: The instant of acceptance.
    package static func warnings(
        _ job: Job,
        devices: Int,
        appPace: Pace?,
        quotas: [(quota: ProviderQuota, devices: Int)] = [],
        now: Timestamp
    ) -> [Problem] {
        var shares = quotas.map { quota, devices in
            ForecastAsk.Share(
                provider: quota.provider,
                devices: AudienceEstimate(devices: devices, error: 0),
                limits: JobForecast.limits(of: quota, for: job)
            )
        }
        let rest = devices - quotas.reduce(0) { $0 + $1.devices }
        if rest > 0 {
            // Devices of providers without a quota, or of unknown ones.
            let estimate = AudienceEstimate(devices: rest, error: 0)
            shares.append(ForecastAsk.Share(provider: ProviderName(rawValue: ""), devices: estimate))
        }
        let ask = ForecastAsk(
            shares,
            common: JobForecast.common(of: job, appPace: appPace),
            times: ForecastAsk.Times(job, now: now)
        )
        return warnings(Forecast(ask), of: job)
    }

    /// Returns the warnings of a forecast.
    package static func warnings(_ forecast: Forecast, of job: Job) -> [Problem] {
        forecast.slow.map { slow in
            Problem(
                pointer: slow.limit.pointer,
                code: .tooSlow,
                detail: "\(slow.subject) take \(DurationText.spoken(slow.needed)); the end leaves "
                    + "\(DurationText.spoken(slow.left)): about \(RoundedText.count(slow.expiring)) would expire",
                fix: slow.fix(job)
            )
        }
    }
}

extension ForecastLimit {
    fileprivate var pointer: String {
        switch kind {
        case .perSecond, .appPerSecond: "/delivery/per_second"
        case .quota, .connections, .workers: "/delivery/expires_at"
        }
    }
}

extension Forecast.Slow {
    /// The devices and the limit that they wait for.
    fileprivate var subject: String {
        let devices = NumberText.grouped(devices) + " devices" + (provider.map { " of \($0.rawValue)" } ?? "")
        let others = limit.ahead.reduce(0, +)
        let beside = others > 0 ? ", beside \(RoundedText.count(others)) of other campaigns," : ""
        return switch limit.kind {
        case .perSecond, .appPerSecond: "\(devices) at \(NumberText.grouped(Int(limit.rate.perSecond)))/s\(beside)"
        case .quota(let quota): "\(devices) at its quota of \(NumberText.grouped(quota.perMinute)) a minute\(beside)"
        case .connections: "\(devices) over the workers' connections, about \(perSecond)/s\(beside)"
        case .workers: "\(devices) with the workers there are, about \(perSecond)/s\(beside)"
        }
    }

    private var perSecond: String { RoundedText.count(Int(min(limit.rate.perSecond, 1e15))) }

    fileprivate func fix(_ job: Job) -> String {
        switch limit.kind {
        case .perSecond: "raise per_second, or give a later expires_at"
        case .appPerSecond: "raise \(job.app)'s per_second, or give a later expires_at"
        case .quota(let quota):
            "give a later expires_at, or have the quota of \(quota.holder) raised, and then that of \(job.app) in "
                + "apps.yaml"
        case .connections, .workers: "give a later expires_at, or start more workers (see fanfare capacity)"
        }
    }
}
