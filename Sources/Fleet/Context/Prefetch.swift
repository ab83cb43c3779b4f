import Campaigns
import Delivery

/// The number of unacknowledged messages that the broker gives a worker.
enum Prefetch {
    /// The prefetch per queue (design, section 7, limits).
    ///
    /// It is 64 bulk shards, where the design has four: these have to hold all devices in flight. With answers after
    /// 50 ms a fast core has 15,000 devices in flight, thirty shards, and some more always wait for a shared commit.
    static let bulk: UInt16 = 64
    static let urgent: UInt16 = 16
    static let campaign: UInt16 = 4
    static let parked: UInt16 = 16

    /// Returns the prefetch of a queue whose messages are leases of shards.
    static func of(_ queue: String) -> UInt16 {
        switch queue {
        case BrokerNames.campaignsQueue, BrokerNames.urgentCampaignsQueue: campaign
        case _ where queue.hasSuffix(".\(Urgency.urgent.rawValue)"): urgent
        default: bulk
        }
    }
}
