/// Integers that apps of other systems read from a push, to display it or to distinguish notifications.
///
/// See `payload_names`: `message_number`, `delivery_number`. They are labels and grant no access: the edge accepts only
/// the signed id beside them. Each is from 1 to 2,147,483,647, because Android apps parse them as `int`. All devices of
/// a campaign get the same numbers, and different campaigns on one phone have different ones.
public struct LegacyNumbers: Sendable, Equatable {
    /// The number of the message.
    public let message: Int
    /// The number of the campaign.
    public let delivery: Int

    /// Computes the numbers from a campaign's key; they are the same on every machine and in every version.
    public init(app: String, id: String) {
        let bits = CampaignHash(app: app, id: id).bits
        message = Self.positive(bits & 0xFFFF_FFFF)
        delivery = Self.positive(bits >> 32)
    }

    private static func positive(_ bits: UInt64) -> Int { max(Int(bits & 0x7FFF_FFFF), 1) }
}
