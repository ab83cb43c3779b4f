package import Campaigns

/// The wall clocks of a campaign's parts.
package enum ZoneClock {
    /// Returns true if the system's database has a zone with this IANA name.
    package static func knows(_ zone: String) -> Bool { ZoneFiles.rules(zone) != nil }

    /// Returns the instant at which each zone's clock shows a reading, by zone ("" for devices that have none).
    ///
    /// - Parameters:
    ///   - reading: The clock's reading.
    ///   - zones: IANA names as in the lists; nil for devices that have none.
    ///   - own: The app's zone, which applies to those and to names that the system does not know; without it, UTC.
    package static func instants(of reading: LocalTime, in zones: [String?], own: String?) -> [String: Timestamp] {
        let standard = own.flatMap { ZoneFiles.rules($0) } ?? .utc
        var instants: [String: Timestamp] = [:]
        for zone in zones {
            let rules = zone.flatMap { ZoneFiles.rules($0) } ?? standard
            instants[zone ?? ""] = rules.instant(of: reading)
        }
        return instants
    }
}
