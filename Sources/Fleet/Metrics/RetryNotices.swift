import Campaigns
import Delivery

/// The log's lines about devices that are tried again: one for a campaign and a minute, however many shards settle.
///
/// Retries within the minute are added to the next line. Confined to the coordinator's loop.
struct RetryNotices {
    static let pause = Duration.seconds(60)
    /// The campaigns that are remembered; the oldest line is forgotten first, and its campaign may get one too early.
    private static let campaignsMax = 1000

    private var known: [UInt32: (toldAt: Timestamp, untold: [String: Int])] = [:]

    /// Counts the retries of a settlement; returns the devices by reason when a line is due.
    mutating func settled(_ settlement: Settlement, of campaign: UInt32, now: Timestamp) -> [String: Int]? {
        let reasons = settlement.retryReasons
        guard !reasons.isEmpty else { return nil }
        let before = known[campaign]
        let all = reasons.merging(before?.untold ?? [:]) { $0 + $1 }
        if let before, now.since(before.toldAt) < Self.pause {
            known[campaign] = (before.toldAt, all)
            return nil
        }
        if before == nil, known.count >= Self.campaignsMax,
            let oldest = known.min(by: { $0.value.toldAt < $1.value.toldAt })
        {
            known[oldest.key] = nil
        }
        known[campaign] = (now, [:])
        return all
    }
}
