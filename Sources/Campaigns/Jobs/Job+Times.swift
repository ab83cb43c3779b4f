extension Job {
    /// True if it is cut by time zone, and each part has its own times.
    public var isByTimeZone: Bool { delivery.localSendAt != nil || delivery.quietHours != nil }

    /// Returns the beginning and the end of a time zone's part.
    ///
    /// A local time that has passed there means at once. Quiet hours postpone the beginning to their end, and interrupt
    /// sending that has begun; the end still counts from `send_at`.
    ///
    /// - Parameters:
    ///   - zone: The rules of the time zone.
    ///   - name: Its IANA name; nil is UTC.
    ///   - acceptedAt: The current instant: at acceptance, or when the audience is known.
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
