public import Campaigns

/// Wall clocks of the parts of a campaign.
public enum ZoneClock {
    /// Whether the system's database knows a zone by its IANA name.
    public static func knows(_ zone: String) -> Bool { ZoneFiles.rules(zone) != nil }

    /// When each zone's clock shows a reading, by the zone's name ("" for devices that say none).
    ///
    /// - Parameters:
    ///   - reading: What the clock shows.
    ///   - zones: IANA names as the lists have them; nil for devices that say none.
    ///   - own: The app's zone, which counts for those and for names that the system does not know; UTC without one.
    public static func instants(of reading: LocalTime, in zones: [String?], own: String?) -> [String: Timestamp] {
        let standard = own.flatMap { ZoneFiles.rules($0) } ?? .utc
        var instants: [String: Timestamp] = [:]
        for zone in zones {
            let rules = zone.flatMap { ZoneFiles.rules($0) } ?? standard
            instants[zone ?? ""] = rules.instant(of: reading)
        }
        return instants
    }
}
