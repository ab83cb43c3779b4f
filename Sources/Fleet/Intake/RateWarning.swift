import Campaigns
import Delivery

/// What is said of a rate that cannot reach everybody in time.
enum RateWarning {
    /// - Parameters:
    ///   - job: The job.
    ///   - devices: How many it is for.
    ///   - appPace: The rate of its app; nil when that has none.
    ///   - now: The instant of acceptance.
    static func warnings(_ job: Job, devices: Int, appPace: Pace?, now: Timestamp) -> [Problem] {
        let rates = [job.delivery.perSecond, appPace?.perSecond].compactMap { $0 }
        guard let rate = rates.min(), devices > 0 else { return [] }
        let isAppSlower = job.delivery.perSecond.map { $0 > rate } ?? true
        // While it grows from a tenth to the whole, a ramp is as fast as 55 % of it.
        let lost = isAppSlower ? 0 : Double(job.delivery.rampUp) * 0.45
        let needed = Duration.seconds(Double(devices) / Double(rate) + lost)
        let left = job.expiresAt(acceptedAt: now).since(now)
        guard needed > left else { return [] }
        let source = isAppSlower ? "\(job.app)'s per_second" : "per_second"
        return [
            Problem(
                pointer: "/delivery/per_second",
                code: .tooSlow,
                detail: "\(NumberText.grouped(devices)) devices at \(NumberText.grouped(rate))/s take "
                    + "\(DurationText.spoken(needed)); the end leaves \(DurationText.spoken(left))",
                mend: "raise \(source), or give a later expires_at"
            )
        ]
    }
}
