public import Campaigns
import PushProviders

/// Devices that wait for another try: for which reason, and until when.
public struct RetryWait: Sendable, Equatable {
    /// The number of devices.
    public var devices = 0
    /// The devices by the reason of their last try; a device of a row that has none is in none.
    public var reasons: [String: Int] = [:]
    /// The instant at which the first of them are due; nil if it is unknown.
    public var from: Timestamp?
    /// The instant at which the last of them are due; nil if it is unknown.
    public var until: Timestamp?

    /// No device.
    public init() {}

    /// Adds devices that are due at an instant, with the reasons of their last try.
    public mutating func add(_ devices: Int, reasons more: [String: Int], due: Timestamp?) {
        guard devices > 0 else { return }
        self.devices += devices
        for (reason, count) in more { reasons[reason, default: 0] += count }
        if let due { from = min(from ?? due, due) }
        extend(to: due)
    }

    /// Adds the devices of another wait.
    public static func += (left: inout RetryWait, right: RetryWait) {
        left.add(right.devices, reasons: right.reasons, due: right.from)
        left.extend(to: right.until)
    }

    /// Notes that the last devices are not due before an instant.
    public mutating func extend(to instant: Timestamp?) {
        if let instant { until = max(until ?? instant, instant) }
    }

    /// The reasons, the most frequent first.
    public var named: [(reason: String, devices: Int)] {
        reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { (reason: $0.key, devices: $0.value) }
    }

    /// True if the most frequent reason is that the provider wants fewer requests.
    public var isThrottled: Bool { named.first.map { AnswerClass.isThrottle(reason: $0.reason) } ?? false }

    /// The most frequent reasons, for a sentence: `TooManyRequests, ServiceUnavailable and 2 others`.
    var names: String? {
        let shown = named.prefix(Self.namesMax).map(\.reason).joined(separator: ", ")
        guard !shown.isEmpty else { return nil }
        let others = reasons.count - Self.namesMax
        return others > 0 ? "\(shown) and \(NumberText.counted(others, "other", "others"))" : shown
    }

    private static let namesMax = 3
}
