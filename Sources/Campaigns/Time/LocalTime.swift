/// A time on a wall clock, to the second: date and time of day without a zone.
public struct LocalTime: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00 on the same clock.
    public var seconds: Int64

    /// Creates a time from seconds since 1970-01-01T00:00:00 on the same clock.
    public init(seconds: Int64) {
        self.seconds = seconds
    }

    /// Creates a time from a day, counted from 1970-01-01, and the seconds of that day.
    public init(day: Int, secondOfDay: Int) {
        seconds = Int64(day) * 86_400 + Int64(secondOfDay)
    }

    /// Reads RFC 3339 without an offset, for example `2026-11-20T20:50:00`; truncates a fraction of a second.
    ///
    /// Nil for anything else, including a text with an offset, which is an instant.
    public init?(text: String) {
        do throws(TimestampFormatError) {
            _ = try Timestamp(rfc3339: text)
            return nil
        } catch {
            guard error == .missingOffset, let instant = try? Timestamp(rfc3339: text + "Z") else { return nil }
            seconds = instant.seconds
        }
    }

    /// The day, counted from 1970-01-01.
    public var day: Int { Int((seconds - Int64(secondOfDay)) / 86_400) }

    /// Seconds since midnight.
    public var secondOfDay: Int { Int(((seconds % 86_400) + 86_400) % 86_400) }

    /// The instant at which the last clock of the world, twelve hours behind UTC, shows it.
    public var lastInstant: Timestamp { Timestamp(milliseconds: (seconds + 43_200) * 1000) }

    /// The time as text, for example `2026-11-20T20:50:00`.
    public var text: String {
        String(Timestamp(milliseconds: seconds * 1000).rfc3339.prefix(19))
    }

    /// Orders times chronologically.
    public static func < (left: LocalTime, right: LocalTime) -> Bool { left.seconds < right.seconds }
}
