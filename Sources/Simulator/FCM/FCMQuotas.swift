/// The project's quota of messages a minute.
///
/// Firebase, throttling and quotas: a quota "is refilled in the following minute", and "these minutes are not aligned
/// to the clock". Here a minute begins with the first message after the previous minute's end. "Client errors (HTTP
/// status code 400-499) are counted (excluding 429s)".
struct ProjectQuota {
    private var minuteBegan: Int64?
    private var taken = 0

    /// Takes one of `limit` messages a minute (0: no limit); returns false when the minute's quota is used up.
    mutating func take(limit: Int, now: Int64) -> Bool {
        guard limit > 0 else { return true }
        if minuteBegan.map({ now - $0 >= 60_000 || now < $0 }) ?? true {
            minuteBegan = now
            taken = 0
        }
        guard taken < limit else { return false }
        taken += 1
        return true
    }
}

/// The messages per minute and hour to single devices: Android, 240 and 5,000.
///
/// A record is kept only for devices that were already sent half of a minute's quota, so that one message to each of
/// millions takes no memory. When a record begins, all earlier messages count as just sent.
struct DeviceQuotas {
    private struct Record {
        var minute: Double
        var hour: Double
        var at: Int64
    }

    private var records: [DeviceTokenKey: Record] = [:]

    /// Takes one message for a device that was sent `before` in all; returns false when a limit is reached.
    mutating func take(_ key: DeviceTokenKey, before: Int, access: FCMAccess, now: Int64) -> Bool {
        let (minute, hour) = (Double(access.devicePerMinute), Double(access.devicePerHour))
        guard before >= access.devicePerMinute / 2 else { return true }
        var record = records[key] ?? Record(minute: minute - Double(before), hour: hour - Double(before), at: now)
        let passed = Double(max(0, now - record.at))
        record.minute = min(minute, record.minute + passed * minute / 60_000)
        record.hour = min(hour, record.hour + passed * hour / 3_600_000)
        record.at = now
        defer { records[key] = record }
        guard record.minute >= 1, record.hour >= 1 else { return false }
        record.minute -= 1
        record.hour -= 1
        return true
    }
}
