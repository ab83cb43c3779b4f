package import Campaigns
package import Delivery

extension ForecastAsk.Times {
    /// The times of a job.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - zones: The time zones of its devices, nil among them for devices that have none; empty if they are not
    ///     known, then a job by local time begins at once.
    ///   - own: The app's time zone; nil for UTC.
    ///   - now: The instant of acceptance.
    package init(_ job: Job, zones: Set<String?> = [], own: String? = nil, now: Timestamp) {
        guard !job.delivery.hold else {
            let seconds = job.delivery.expiry.secondsFromRelease.map { Duration.seconds($0) }
            self.init(begins: nil, left: seconds ?? job.expiresAt(acceptedAt: now).since(now))
            return
        }
        let standard = own.flatMap { ZoneFiles.rules($0) } ?? .utc
        let parts = (job.isByTimeZone ? zones : []).map { zone in
            job.times(in: zone.flatMap { ZoneFiles.rules($0) } ?? standard, acceptedAt: now)
        }
        guard let last = parts.max(by: { $0.releaseAt < $1.releaseAt }),
            let first = parts.map(\.releaseAt).min(), let end = parts.map(\.expiresAt).max()
        else {
            let begins = max(job.delivery.sendAt ?? now, now)
            let end = job.expiresAt(acceptedAt: now).asEnd
            self.init(begins: begins, left: end.map { $0.since(begins) })
            return
        }
        self.init(begins: first, lastBegins: last.releaseAt, quiet: last.quiet, left: end.since(first))
    }
}
