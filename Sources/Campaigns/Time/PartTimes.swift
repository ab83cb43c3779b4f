/// The beginning and the end of a campaign's part whose devices share a time zone.
public struct PartTimes: Sendable, Hashable {
    /// The earliest beginning.
    public var releaseAt: Timestamp
    /// The instant after which no request is made.
    public var expiresAt: Timestamp
    /// The known quiet hours after the beginning, as ascending half-open ranges.
    public var quiet: [Range<Timestamp>]
    /// The rule for later quiet hours; nil if there are none, or if `quiet` already has all of them.
    public var rule: QuietRule?

    /// Creates the times of a part.
    public init(
        releaseAt: Timestamp,
        expiresAt: Timestamp,
        quiet: [Range<Timestamp>] = [],
        rule: QuietRule? = nil
    ) {
        self.releaseAt = releaseAt
        self.expiresAt = expiresAt
        self.quiet = quiet
        self.rule = rule
    }

    /// True if the part has quiet hours, or may have some that are not computed yet.
    public var hasQuietHours: Bool { rule != nil || !quiet.isEmpty }
}

/// The rule for a part's quiet hours, which are computed a few days before they are needed.
///
/// So a campaign that lasts until the year 9999 costs no more than one that lasts a day.
public struct QuietRule: Sendable, Hashable {
    /// The daily hours.
    public var hours: QuietHours
    /// The IANA name of their time zone; nil is UTC.
    public var timeZone: String?
    /// The instant before which every window is known.
    public var knownUntil: Timestamp

    /// Creates a rule.
    public init(hours: QuietHours, timeZone: String?, knownUntil: Timestamp) {
        self.hours = hours
        self.timeZone = timeZone
        self.knownUntil = knownUntil
    }
}

/// The daily hours, on the device's wall clock, in which nothing is sent.
public struct QuietHours: Sendable, Hashable {
    /// The beginning in minutes since midnight.
    public var from: Int
    /// The end in minutes since midnight; if before `from`, on the next day.
    public var to: Int

    /// Creates quiet hours; the two must differ.
    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    /// The time ahead for which windows are computed when a part is created: two or three windows.
    public static let knownAtFirst = Duration.seconds(2 * 86_400)
    /// The time ahead for which they are computed later: eight or nine windows.
    public static let knownAhead = Duration.seconds(8 * 86_400)
    /// The remaining known time below which they are computed again; a fleet may be down for as long.
    public static let knownAtLeast = Duration.seconds(4 * 86_400)

    /// Reads `22:00` as minutes since midnight.
    public static func minutes(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"),
            [0, 1, 3, 4].allSatisfy({ (48...57).contains(bytes[$0]) })
        else { return nil }
        func number(_ index: Int) -> Int { Int(bytes[index] - 48) * 10 + Int(bytes[index + 1] - 48) }
        return number(0) < 24 && number(3) < 60 ? number(0) * 60 + number(3) : nil
    }

    /// Returns minutes since midnight as `22:00`.
    public static func text(_ minutes: Int) -> String {
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }

    /// Returns the windows that begin before `end` and end after `begin`, ascending and whole.
    ///
    /// There is one per day, so the two must not be far apart. A local time that the clock shows twice is the first of
    /// the two. A window that a clock change skips entirely is left out.
    public func windows(from begin: Timestamp, to end: Timestamp, in zone: TimeZoneRules) -> [Range<Timestamp>] {
        guard begin < end else { return [] }
        var windows: [Range<Timestamp>] = []
        for day in zone.local(at: begin).day - 1...zone.local(at: end).day {
            let first = zone.instant(of: LocalTime(day: day, secondOfDay: from * 60))
            let last = zone.instant(of: LocalTime(day: day + (to < from ? 1 : 0), secondOfDay: to * 60))
            if first < last, last > begin, first < end { windows.append(first..<last) }
        }
        return windows
    }
}
