public import Campaigns

/// A campaign's content in one language, compiled.
public struct CampaignVariant: Sendable, Equatable {
    /// The BCP 47 tag; empty for the standard content.
    public var locale: String
    /// See `Shard.Facts`.
    public var payload: [UInt8]
    /// See `Shard.Facts`.
    public var messageIDAt: UInt32?
    /// See `Shard.Facts`.
    public var personal: PersonalContent

    /// A variant of the content.
    public init(locale: String, payload: [UInt8], messageIDAt: UInt32?, personal: PersonalContent) {
        self.locale = locale
        self.payload = payload
        self.messageIDAt = messageIDAt
        self.personal = personal
    }

    /// The value of `campaigns.push_type` for a campaign with variants.
    ///
    /// Older workers plan no campaign of an unknown push type. So they never send the standard content to all, or
    /// templates that are not filled in.
    static let pushType = "variants"
}

extension LedgerTransaction {
    /// Writes a new campaign's variants.
    func insert(_ variants: [CampaignVariant], _ campaign: UInt32, pushType: PushType) throws(LedgerError) {
        for (index, variant) in variants.enumerated() {
            let personal: [UInt8]
            do { personal = try variant.personal.encoded() } catch { throw .failed("campaign \(campaign): \(error)") }
            try db.run(
                """
                INSERT INTO variants (campaign, variant, locale, push_type, payload, message_id_at, personal)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                """,
                .int(campaign),
                .int(index),
                .text(variant.locale),
                .text(pushType.rawValue),
                .blob(variant.payload),
                .int(variant.messageIDAt),
                .blob(personal)
            )
        }
    }
}

extension LedgerReader {
    /// A campaign's variants, the standard content first, and their common push type.
    func variants(_ campaign: UInt32) throws(LedgerError) -> (variants: [CampaignVariant], pushType: PushType)? {
        let rows = try db.rows(
            """
            SELECT locale, push_type, payload, message_id_at, personal FROM variants WHERE campaign = ?1 ORDER BY variant
            """,
            .int(campaign)
        )
        var variants: [CampaignVariant] = []
        var pushType: PushType?
        while try rows.next() {
            let personal: PersonalContent
            do { personal = try PersonalContent(encoded: rows.blob("personal")) } catch {
                throw .failed("the templates of campaign \(campaign): \(error)")
            }
            pushType = PushType(rawValue: rows.text("push_type"))
            variants.append(
                CampaignVariant(
                    locale: rows.text("locale"),
                    payload: rows.blob("payload"),
                    messageIDAt: rows.optionalUInt32("message_id_at"),
                    personal: personal
                )
            )
        }
        return pushType.map { (variants, $0) }
    }
}
