import Campaigns
import Store

extension AppDirectory {
    /// A part for each time zone of a campaign that is cut by them.
    ///
    /// Devices without one, or with one that the system does not know, are one part, which has the app's zone. So there
    /// are no more parts than the system has zones.
    ///
    /// - Parameters:
    ///   - job: The job; nothing for one that is not cut by time zone.
    ///   - zones: Those of its devices; nil among them for devices that say none.
    ///   - now: The instant at which its audience is known.
    func parts(of job: Job, zones: Set<String?>, at now: Timestamp) -> [NewPart] {
        guard job.isByTimeZone else { return [] }
        let own = timeZones[job.app].flatMap { NamedZone($0) }
        var known: [String?: NamedZone?] = [:]
        for zone in zones {
            let named = zone.flatMap { NamedZone($0) }
            known.updateValue(named ?? own, forKey: named?.name)
        }
        return known.sorted { ($0.key ?? "") < ($1.key ?? "") }.map { zone, named in
            NewPart(
                timeZone: zone,
                times: job.times(in: named?.rules ?? .utc, named: named?.name, acceptedAt: now)
            )
        }
    }
}

/// A zone that the system knows.
private struct NamedZone {
    var name: String
    var rules: TimeZoneRules

    init?(_ name: String) {
        guard let rules = ZoneFiles.rules(name) else { return nil }
        (self.name, self.rules) = (name, rules)
    }
}
