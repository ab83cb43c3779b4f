import Foundation

/// Instants as texts (RFC 3339, UTC, milliseconds).
enum InstantText {
    static func text(_ date: Date) -> String { date.formatted(style) }

    /// The instant of a text with or without a fraction of a second; nil for everything else.
    static func date(_ text: String) -> Date? {
        (try? style.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text))
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
