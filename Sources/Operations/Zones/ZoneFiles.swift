package import Campaigns
import FoundationEssentials

/// The time zones of the system's database.
package enum ZoneFiles {
    private static let folder = "/usr/share/zoneinfo/"

    /// Returns the rules of a zone by its IANA name; nil when the system does not have it.
    package static func rules(_ name: String) -> TimeZoneRules? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }), !name.utf8.contains(0),
            let data = try? Data(contentsOf: URL(filePath: folder + name))
        else { return nil }
        return TimeZoneRules(tzif: Array(data))
    }
}
