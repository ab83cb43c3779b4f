public import Campaigns

/// A campaign's content for one provider, compiled.
public struct CampaignContent: Sendable, Equatable {
    /// The provider.
    public var provider: ProviderName
    /// See `Shard.Facts`.
    public var pushType: PushType
    /// See `Shard.Facts`.
    public var priority: UInt8
    /// See `Shard.Facts`.
    public var collapseID: String
    /// The content in each language; the standard content comes first and always exists.
    public var variants: [CampaignVariant]

    /// A provider's content; traps without the standard variant.
    public init(
        provider: ProviderName,
        pushType: PushType,
        priority: UInt8,
        collapseID: String,
        variants: [CampaignVariant]
    ) {
        precondition(!variants.isEmpty, "a content without a body")
        self.provider = provider
        self.pushType = pushType
        self.priority = priority
        self.collapseID = collapseID
        self.variants = variants
    }

    /// The value of `campaigns.push_type` for a campaign of several providers.
    ///
    /// Older workers plan no campaign of an unknown push type. So they never send one provider's payload to another's
    /// tokens.
    static let severalPushTypes = "providers"

    /// True if all devices get the same content.
    var isConstant: Bool { variants.count == 1 && variants[0].personal.isEmpty }
}

extension LedgerTransaction {
    /// Stores a campaign's content for each provider of its list, in the transaction that completes the list.
    ///
    /// With one provider, the campaign's own row has everything. `contents` is empty if that row is already right.
    func writeContents(_ contents: [CampaignContent], campaign: UInt32, list: UInt32) throws(LedgerError) {
        let own = try db.rows("SELECT provider FROM campaigns WHERE number = ?1", .int(campaign))
        guard try own.next() else { throw .failed("campaign \(campaign) is gone") }
        let known = contents.isEmpty ? [own.text("provider")] : contents.map(\.provider.rawValue)
        // A provider must never get a token of another provider.
        for provider in try reader.providers(list: list) where !known.contains(provider.rawValue) {
            throw .failed("campaign \(campaign) has no content for devices of \(provider.rawValue)")
        }
        if let content = contents.first, contents.count == 1 {
            try writeOwn(content, campaign)
        } else if !contents.isEmpty {
            for content in contents { try insert(content, campaign, list: list) }
            try db.run("DELETE FROM variants WHERE campaign = ?1", .int(campaign))
            try db.run(
                "UPDATE campaigns SET provider = '', push_type = ?2 WHERE number = ?1",
                .int(campaign),
                .text(CampaignContent.severalPushTypes)
            )
        }
    }

    private func writeOwn(_ content: CampaignContent, _ campaign: UInt32) throws(LedgerError) {
        let standard = content.variants[0]
        try db.run(
            """
            UPDATE campaigns SET provider = ?2, push_type = ?3, priority = ?4, collapse_id = ?5, payload = ?6,
                message_id_at = ?7
            WHERE number = ?1
            """,
            .int(campaign),
            .text(content.provider.rawValue),
            .text(content.isConstant ? content.pushType.rawValue : CampaignVariant.pushType),
            .int(content.priority),
            .text(content.collapseID),
            .blob(standard.payload),
            .int(standard.messageIDAt)
        )
        try db.run("DELETE FROM variants WHERE campaign = ?1", .int(campaign))
        if !content.isConstant { try insert(content.variants, campaign, pushType: content.pushType) }
    }

    private func insert(_ content: CampaignContent, _ campaign: UInt32, list: UInt32) throws(LedgerError) {
        try db.run(
            """
            INSERT INTO campaign_providers (campaign, provider, push_type, priority, collapse_id, devices)
            VALUES (?1, ?2, ?3, ?4, ?5, (
                SELECT coalesce(sum(k.count), 0) FROM chunks k WHERE k.list = ?6 AND k.provider = ?2
            ))
            """,
            .int(campaign),
            .text(content.provider.rawValue),
            .text(content.pushType.rawValue),
            .int(content.priority),
            .text(content.collapseID),
            .int(list)
        )
        for (index, variant) in content.variants.enumerated() {
            let personal: [UInt8]
            do { personal = try variant.personal.encoded() } catch { throw .failed("campaign \(campaign): \(error)") }
            try db.run(
                """
                INSERT INTO provider_variants (campaign, provider, variant, locale, payload, message_id_at, personal)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                """,
                .int(campaign),
                .text(content.provider.rawValue),
                .int(index),
                .text(variant.locale),
                .blob(variant.payload),
                .int(variant.messageIDAt),
                .blob(personal)
            )
        }
    }
}

extension LedgerReader {
    /// The providers of a list's devices, in order of their names.
    public func providers(list: UInt32) throws(LedgerError) -> [ProviderName] {
        let rows = try db.rows("SELECT providers FROM lists WHERE number = ?1", .int(list))
        // Workers from before FCM support read only devices of APNs.
        guard try rows.next(), !rows.isNull("providers") else { return [.apns] }
        return rows.words("providers").map { ProviderName(rawValue: $0) }
    }

    /// The providers of the chunks that a list has so far, in order of their names.
    public func chunkProviders(list: UInt32) throws(LedgerError) -> [ProviderName] {
        let rows = try db.rows("SELECT DISTINCT provider FROM chunks WHERE list = ?1 ORDER BY provider", .int(list))
        return try rows.map { $0.provider("provider") }
    }

    /// The contents of a campaign of several providers, in order of the providers' names.
    func contents(_ campaign: UInt32) throws(LedgerError) -> [CampaignContent] {
        let rows = try db.rows(
            """
            SELECT v.provider, v.push_type, v.priority, v.collapse_id, w.locale, w.payload, w.message_id_at, w.personal
            FROM campaign_providers v JOIN provider_variants w ON w.campaign = v.campaign AND w.provider = v.provider
            WHERE v.campaign = ?1 ORDER BY v.provider, w.variant
            """,
            .int(campaign)
        )
        var contents: [CampaignContent] = []
        while try rows.next() {
            let provider = rows.provider("provider")
            guard let pushType: PushType = rows.value("push_type") else {
                throw .failed("campaign \(campaign) has a push type that this version does not know")
            }
            let personal: PersonalContent
            do { personal = try PersonalContent(encoded: rows.blob("personal")) } catch {
                throw .failed("the templates of campaign \(campaign): \(error)")
            }
            let variant = CampaignVariant(
                locale: rows.text("locale"),
                payload: rows.blob("payload"),
                messageIDAt: rows.optionalUInt32("message_id_at"),
                personal: personal
            )
            if contents.last?.provider == provider {
                contents[contents.count - 1].variants.append(variant)
            } else {
                contents.append(
                    CampaignContent(
                        provider: provider,
                        pushType: pushType,
                        priority: UInt8(truncatingIfNeeded: rows.int64("priority")),
                        collapseID: rows.text("collapse_id"),
                        variants: [variant]
                    )
                )
            }
        }
        return contents
    }
}
