/// When the part of a campaign begins and ends whose devices share a time zone.
public struct PartTimes: Sendable, Hashable {
    /// Not before this instant.
    public var releaseAt: Timestamp
    /// After this instant no request is made.
    public var expiresAt: Timestamp

    /// The times of a part.
    public init(releaseAt: Timestamp, expiresAt: Timestamp) {
        self.releaseAt = releaseAt
        self.expiresAt = expiresAt
    }
}

extension Job {
    /// Whether its parts have times of their own: it is cut by time zone.
    public var isByTimeZone: Bool { delivery.localSendAt != nil || delivery.quietHours != nil }

    /// When the part of a time zone begins and ends.
    ///
    /// A reading of the wall clock that has passed there is at once. Quiet hours put the beginning off to their end; the
    /// end counts from `send_at` all the same.
    public func times(in zone: TimeZoneRules, acceptedAt: Timestamp) -> PartTimes {
        let sendAt = delivery.localSendAt.map { zone.instant(of: $0) } ?? delivery.sendAt
        let release = ExpiryRule.release(createdAt: createdAt, sendAt: sendAt, acceptedAt: acceptedAt)
        var begin = max(sendAt ?? acceptedAt, acceptedAt)
        if let end = delivery.quietHours?.end(around: begin, in: zone) { begin = end }
        return PartTimes(releaseAt: begin, expiresAt: ExpiryRule.end(delivery.expiry, release: release, in: zone))
    }
}

/// A daily window on the device's wall clock in which nothing begins.
public struct QuietHours: Sendable, Equatable {
    /// Minutes since midnight.
    public var from: Int
    /// Minutes since midnight; before `from`, the window ends on the next day.
    public var to: Int

    /// A window; the two differ.
    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

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

    /// When the window ends that an instant lies in; nil outside of it.
    public func end(around instant: Timestamp, in zone: TimeZoneRules) -> Timestamp? {
        let local = zone.local(at: instant)
        let (now, begin, end) = (local.secondOfDay, from * 60, to * 60)
        let isInside = begin < end ? now >= begin && now < end : now >= begin || now < end
        guard isInside else { return nil }
        return zone.instant(of: LocalTime(day: local.day + (now < end ? 0 : 1), secondOfDay: end))
    }
}
