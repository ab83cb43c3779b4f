import Foundation

/// The person's locale and time zone, and the app's version, as the system knows them.
struct SystemFacts: Sendable, Equatable {
    /// A locale such as `es-ES`.
    var locale: String?
    /// A time zone such as `Europe/Madrid`.
    var timeZone: String?
    /// A version such as `3.2.0`.
    var appVersion: String?

    /// Returns the current facts.
    static func current() -> SystemFacts {
        SystemFacts(
            // Turns the system's names, such as `es_ES@calendar=buddhist`, into the form of BCP 47.
            locale: Locale.current.identifier.prefix { $0 != "@" && $0 != "." }.replacingOccurrences(
                of: "_",
                with: "-"
            ),
            timeZone: TimeZone.current.identifier,
            appVersion: Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
        )
    }
}

/// The library itself.
enum Kit {
    /// The version that registrations report as `kit_version`.
    static let version = "1.0.0"
}
