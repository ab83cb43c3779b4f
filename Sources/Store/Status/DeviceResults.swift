public import Campaigns
import Delivery

/// The state of one device of a campaign, over all its attempts.
public struct DeviceResult: Sendable, Equatable {
    /// The token's raw bytes.
    public var token: ArraySlice<UInt8>
    /// The provider.
    public var provider: ProviderName
    /// The index in the campaign.
    public var index: UInt32
    /// The producer's name for the device.
    public var id: String?
    /// The outcome; nil while the device is pending.
    public var outcome: Outcome?
    /// Requests made, over all attempts.
    public var requests: Int
    /// The last reason, from a provider or from us.
    public var reason: String?
}

extension Ledger {
    /// Returns a page of a campaign's devices in the order of its list, from a chunk on; nil after the last page.
    ///
    /// Each page of ten chunks is a read transaction of its own, so a campaign that is being sent is seen at several
    /// instants. Duplicates, which are not in the list, are left out. `next` is the chunk with which the next page
    /// begins.
    public func devices(
        campaign: UInt32,
        from chunk: UInt32
    ) async throws(LedgerError) -> (devices: [DeviceResult], next: UInt32)? {
        try await read { reader in
            guard let last = try reader.lastChunk(ofPage: chunk, campaign: campaign) else { return nil }
            return (try reader.deviceResults(campaign: campaign, chunks: chunk..<last + 1), last + 1)
        }
    }

    /// Visits all devices of a campaign in the order of its list, page by page, with bounded memory.
    public func devices(
        campaign: UInt32,
        _ body: @Sendable (DeviceResult) throws -> Void
    ) async throws {
        var chunk: UInt32 = 0
        while let page = try await devices(campaign: campaign, from: chunk) {
            for device in page.devices { try body(device) }
            chunk = page.next
        }
    }
}

extension LedgerReader {
    /// The condition for the chunks of a list that are the campaign's, in a query with the rows `campaigns c` and
    /// `chunks k`: while an audience is frozen and sent, those that a cursor has passed.
    private static let isOfCampaign = """
        k.ordinal < CASE WHEN c.has_parts = 0 THEN c.chunks ELSE 4294967296 END AND (c.has_parts = 0 OR EXISTS (
            SELECT 1 FROM chunk_order o WHERE o.campaign = c.number AND o.ordinal = k.ordinal
        ))
        """

    /// The last of the ten chunks from one on; nil if there is none.
    ///
    /// The ranges of an audience leave gaps between them.
    fileprivate func lastChunk(ofPage chunk: UInt32, campaign: UInt32) throws(LedgerError) -> UInt32? {
        let last = try db.number(
            """
            SELECT max(ordinal) FROM (
                SELECT k.ordinal FROM campaigns c JOIN chunks k ON k.list = c.list
                WHERE c.number = ?1 AND k.ordinal >= ?2 AND \(Self.isOfCampaign) ORDER BY k.ordinal LIMIT 10
            ) AS page
            """,
            .int(campaign),
            .int(chunk)
        )
        return last.map { UInt32($0) }
    }

    /// The devices of some chunks of a campaign; empty after its last chunk.
    public func deviceResults(campaign: UInt32, chunks: Range<UInt32>) throws(LedgerError) -> [DeviceResult] {
        let rows = try db.rows(
            """
            SELECT k.ordinal, k.first_index, k.provider, k.device_ids, k.bare, c.rest_outcome
            FROM campaigns c JOIN chunks k ON k.list = c.list
            WHERE c.number = ?1 AND k.ordinal >= ?2 AND k.ordinal < ?3 AND \(Self.isOfCampaign)
            ORDER BY k.ordinal
            """,
            .int(campaign),
            .int(chunks.lowerBound),
            .int(chunks.upperBound)
        )
        var results: [DeviceResult] = []
        while try rows.next() {
            let ordinal = rows.uint32("ordinal")
            let batch: DeviceBatch
            do { batch = try DeviceBatch(encoded: rows.blob("bare")) } catch {
                throw .failed("chunk \(ordinal) of campaign \(campaign): \(error)")
            }
            let ids = DeviceIDs(stored: rows.blob("device_ids")).texts
            let first = rows.uint32("first_index")
            let provider = rows.provider("provider")
            let rest: Outcome? = rows.value("rest_outcome")
            let start = results.count
            for position in 0..<batch.count {
                results.append(
                    DeviceResult(
                        token: batch.tokens[batch.tokenRange(at: position)],
                        provider: provider,
                        index: first + UInt32(position),
                        id: position < ids.count ? ids[position] : nil,
                        outcome: rest,
                        requests: 0,
                        reason: nil
                    )
                )
            }
            try forEachPlace(ofChunk: ordinal, of: campaign) { record, offset, position in
                let index = start + position
                guard index < results.endIndex else { return }
                results[index].requests += record.progress.requests(at: offset)
                if let reason = record.progress.notes[UInt16(offset)]?.reason { results[index].reason = reason }
                if case .outcome(let outcome) = record.progress.state(at: offset) {
                    results[index].outcome = outcome
                } else {
                    results[index].outcome = nil
                }
            }
        }
        return results
    }
}
