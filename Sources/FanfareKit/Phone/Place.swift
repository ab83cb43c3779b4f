import Foundation

/// What the system knows of the person's place and of the app.
struct Place: Sendable, Equatable {
    /// Such as `es-ES`.
    var locale: String?
    /// Such as `Europe/Madrid`.
    var timeZone: String?
    /// Such as `3.2.0`.
    var appVersion: String?

    /// As it is now.
    static func current() -> Place {
        Place(
            // Names of the system such as `es_ES@calendar=buddhist`, in the form of BCP 47.
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
    /// What registrations say as `kit_version`.
    static let version = "1.0.0"
}
