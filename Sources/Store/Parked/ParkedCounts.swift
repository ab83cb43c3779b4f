import Delivery

/// The parked messages, by the person who can do something about them.
public struct ParkedCounts: Sendable, Equatable {
    /// Messages and shards that the fleet could not handle: the operator's.
    public var fleets: Int
    /// Refused jobs: the producer's, who was told why.
    public var producers: Int

    /// Counts; 0 by default.
    public init(fleets: Int = 0, producers: Int = 0) {
        (self.fleets, self.producers) = (fleets, producers)
    }

    /// The number of all of them.
    public var total: Int { fleets + producers }
}

extension LedgerReader {
    /// The number of parked messages.
    public func parkedCounts() throws(LedgerError) -> ParkedCounts {
        let rows = try db.rows(
            """
            SELECT count(*) AS messages, count(*) FILTER (WHERE reason IN (\(RefusalReason.allCases.sql))
                AND queue IN ('\(BrokerNames.campaignsQueue)', '\(BrokerNames.urgentCampaignsQueue)')) AS refused
            FROM parked
            """
        )
        guard try rows.next() else { return ParkedCounts() }
        let refused = rows.int("refused")
        return ParkedCounts(fleets: rows.int("messages") - refused, producers: refused)
    }
}
