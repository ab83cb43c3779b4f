import Campaigns
import Operations
import Settings
import Store

extension AppDirectory {
    /// Returns a part for each time zone of a campaign that is cut by time zone.
    ///
    /// Devices without a zone, or with one that the system does not know, form one part with the app's zone. So there
    /// are no more parts than the system has zones.
    ///
    /// - Parameters:
    ///   - job: The job; one that is not cut by time zone has no parts.
    ///   - zones: The zones of its devices; nil among them for devices that have none.
    ///   - now: The instant at which its audience is known.
    func parts(of job: Job, zones: Set<String?>, at now: Timestamp) -> [NewPart] {
        guard job.isByTimeZone else { return [] }
        let own = setting(of: job.app)?.timeZone.flatMap { NamedZone($0) }
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

/// A zone that the system has.
private struct NamedZone {
    var name: String
    var rules: TimeZoneRules

    init?(_ name: String) {
        guard let rules = ZoneFiles.rules(name) else { return nil }
        (self.name, self.rules) = (name, rules)
    }
}
