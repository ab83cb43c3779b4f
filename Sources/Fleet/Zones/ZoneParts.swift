import Campaigns
import Store

extension AppDirectory {
    /// A part for each time zone of a campaign that is cut by them; devices without one, or with one that nobody knows,
    /// have the app's.
    ///
    /// - Parameters:
    ///   - job: The job; nothing for one that is not cut by time zone.
    ///   - zones: Those of its devices; nil among them for devices that say none.
    ///   - now: The instant at which its audience is known.
    func parts(of job: Job, zones: Set<String?>, at now: Timestamp) -> [NewPart] {
        guard job.isByTimeZone else { return [] }
        let own = timeZones[job.app].flatMap { ZoneFiles.rules($0) } ?? .utc
        return zones.sorted { ($0 ?? "") < ($1 ?? "") }.map { zone in
            NewPart(timeZone: zone, times: job.times(in: zone.flatMap { ZoneFiles.rules($0) } ?? own, acceptedAt: now))
        }
    }
}
