public import Campaigns

/// How fast a count grows, over the last few seconds.
public struct RateMeter: Sendable {
    /// What is older says nothing about now.
    private static let window = Duration.seconds(5)

    private var samples: [(total: Int, at: Timestamp)] = []

    /// A meter that has seen nothing.
    public init() {}

    /// Takes a sample and answers the rate per second; nil until two samples are a tenth of a second apart.
    public mutating func rate(total: Int, now: Timestamp) -> Int? {
        samples.removeAll { now.since($0.at) > Self.window }
        samples.append((total, now))
        guard let first = samples.first, now.since(first.at) >= .milliseconds(100) else { return nil }
        let milliseconds = now.milliseconds - first.at.milliseconds
        let grown = max(0, total - first.total)
        return Int(Double(grown) * 1000 / Double(milliseconds))
    }
}

extension CampaignStatusView {
    /// Notes how fast the campaign is, and when it will be done if it goes on like that.
    public mutating func note(rate: Int?, now: Timestamp) {
        guard !isFinished, let rate else { return }
        self.rate = rate
        guard rate > 0 else { return }
        etaAt = now.advanced(by: .milliseconds(Int64(Double(pending.total) * 1000 / Double(rate))))
    }
}
