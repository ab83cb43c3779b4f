/// The whole numbers that apps of other systems parse out of a push, to show or to tell notifications apart by
/// (`payload_names`: `message_number`, `delivery_number`).
///
/// They label, and open nothing: what the edge takes is the signed id, which stands beside them. Each is from 1 to
/// 2,147,483,647, because Android's apps parse them as `int`; they are the same for all devices of a campaign, and
/// campaigns that one phone gets have others.
public struct LegacyNumbers: Sendable, Equatable {
    /// Stands for the message.
    public let message: Int
    /// Stands for the campaign.
    public let delivery: Int

    /// The numbers of a campaign's key; the same on every machine and in every version.
    public init(app: String, id: String) {
        let bits = CampaignHash(app: app, id: id).bits
        message = Self.positive(bits & 0xFFFF_FFFF)
        delivery = Self.positive(bits >> 32)
    }

    private static func positive(_ bits: UInt64) -> Int { max(Int(bits & 0x7FFF_FFFF), 1) }
}
