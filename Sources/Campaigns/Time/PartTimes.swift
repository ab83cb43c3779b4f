/// When the part of a campaign begins and ends whose devices share a time zone.
public struct PartTimes: Sendable, Hashable {
    /// Not before this instant.
    public var releaseAt: Timestamp
    /// After this instant no request is made.
    public var expiresAt: Timestamp
    /// Its quiet hours after the first, as far as they are known: ascending, each from its first instant to before its
    /// last.
    public var quiet: [Range<Timestamp>]
    /// What later ones are computed from; nil for a part without, or when `quiet` has all that there will ever be.
    public var rule: QuietRule?

    /// The times of a part.
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

    /// Whether it has quiet hours, or may have some that are not computed yet.
    public var hasQuietHours: Bool { rule != nil || !quiet.isEmpty }
}

/// What the quiet hours of a part are computed from, a few days ahead of the time at which they are needed.
///
/// So a campaign that lasts until the year 9999 costs no more than one that lasts a day.
public struct QuietRule: Sendable, Hashable {
    /// Which hours.
    public var hours: QuietHours
    /// The IANA name of the zone on whose clock they are read; nil is UTC.
    public var timeZone: String?
    /// Every window that begins before this instant is known.
    public var knownUntil: Timestamp

    /// A rule.
    public init(hours: QuietHours, timeZone: String?, knownUntil: Timestamp) {
        self.hours = hours
        self.timeZone = timeZone
        self.knownUntil = knownUntil
    }
}

extension Job {
    /// Whether its parts have times of their own: it is cut by time zone.
    public var isByTimeZone: Bool { delivery.localSendAt != nil || delivery.quietHours != nil }

    /// When the part of a time zone begins and ends.
    ///
    /// A reading of the wall clock that has passed there is at once. Quiet hours put the beginning off to their end, and
    /// interrupt what has begun; the end counts from `send_at` all the same.
    ///
    /// - Parameters:
    ///   - zone: The clock on the wall.
    ///   - name: Its IANA name; nil is UTC.
    ///   - acceptedAt: When that is asked: at acceptance, or when the audience is known.
    public func times(in zone: TimeZoneRules, named name: String? = nil, acceptedAt: Timestamp) -> PartTimes {
        let sendAt = delivery.localSendAt.map { zone.instant(of: $0) } ?? delivery.sendAt
        let release = ExpiryRule.release(createdAt: createdAt, sendAt: sendAt, acceptedAt: acceptedAt)
        var begin = max(sendAt ?? acceptedAt, acceptedAt)
        let end = ExpiryRule.end(delivery.expiry, release: release, in: zone)
        guard let hours = delivery.quietHours else { return PartTimes(releaseAt: begin, expiresAt: end) }
        let horizon = begin.advanced(by: QuietHours.knownAtFirst)
        var quiet = hours.windows(from: begin, to: horizon, in: zone)
        if let first = quiet.first, first.contains(begin) {
            begin = first.upperBound
            quiet.removeFirst()
        }
        let rule = QuietRule(hours: hours, timeZone: name, knownUntil: horizon)
        return PartTimes(releaseAt: begin, expiresAt: end, quiet: quiet, rule: rule)
    }
}

/// A daily window on the device's wall clock in which nothing is sent.
public struct QuietHours: Sendable, Hashable {
    /// Minutes since midnight.
    public var from: Int
    /// Minutes since midnight; before `from`, the window ends on the next day.
    public var to: Int

    /// A window; the two differ.
    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    /// How far ahead windows are computed when a part is made: two or three of them.
    public static let knownAtFirst = Duration.seconds(2 * 86_400)
    /// How far ahead of the time they are known otherwise: eight or nine.
    public static let knownAhead = Duration.seconds(8 * 86_400)
    /// They are computed anew while fewer days than this are known, so that a fleet may stand for as long.
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

    /// Minutes since midnight as `22:00`.
    public static func text(_ minutes: Int) -> String {
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }

    /// The windows that begin before an end and end after a beginning, ascending and whole: one a day, so that the two
    /// must be near each other.
    ///
    /// A reading that the clock shows twice is the first of both. A window that no clock of that day shows is none.
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
