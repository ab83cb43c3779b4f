import Campaigns
import Delivery

/// A chunk that becomes a shard.
struct PlannableChunk {
    var ordinal: UInt32
    var firstIndex: UInt32
    var count: Int
    var provider: ProviderName
    var environment: String?
    var locale: String?
    var devices: [UInt8]
    /// The marks of the chunk's devices.
    var known: KnownDevices
    /// The position in the order in which the campaign is cut.
    var position: UInt32
    /// The part; nil in a campaign that is not split by provider or time zone.
    var part: OpenPart?

    /// The rows that the chunk is cut into.
    func rows(of campaign: UInt32, as cut: Cut) -> ChunkRows {
        ChunkRows(chunk: ordinal, count: count, of: campaign, known, as: cut)
    }
}
