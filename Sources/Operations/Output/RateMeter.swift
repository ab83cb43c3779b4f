package import Campaigns
import Delivery

/// Measures the rate at which a count grows over the last few seconds.
package struct RateMeter: Sendable {
    /// The age above which samples are dropped.
    private static let window = Duration.seconds(5)

    private var samples: [(total: Int, at: Timestamp)] = []

    /// Creates a meter without samples.
    package init() {}

    /// Takes a sample and returns the rate per second; nil until two samples are a tenth of a second apart.
    package mutating func rate(total: Int, now: Timestamp) -> Int? {
        samples.removeAll { now.since($0.at) > Self.window }
        samples.append((total, now))
        guard let first = samples.first, now.since(first.at) >= .milliseconds(100) else { return nil }
        let milliseconds = now.milliseconds - first.at.milliseconds
        let grown = max(0, total - first.total)
        return Int(Double(grown) * 1000 / Double(milliseconds))
    }
}

extension CampaignStatusView {
    /// Sets the campaign's rate, and the instant of its end at that rate.
    package mutating func note(rate: Int?, now: Timestamp) {
        guard !isFinished, let rate else { return }
        self.rate = rate
        note(rate: rate)
        guard rate > 0 else { return }
        let toCome = max(0, (estimate?.devices ?? audience) - audience)
        etaAt = now.advanced(by: .milliseconds(Int64(Double(pending.total + toCome) * 1000 / Double(rate))))
    }
}
