import Campaigns

/// The data that all shards of a campaign share, and the list of their devices.
struct CampaignPush {
    var facts: Shard.Facts
    var list: UInt32
    var carriesVariables: Bool
    /// The language variants, the standard content first; empty if the content in `facts` is for all languages.
    var variants: [CampaignVariant] = []
    /// The content for each provider, if the campaign has several; `facts` then holds the first provider's.
    var contents: [CampaignContent] = []
    /// True if the campaign is cut by provider or time zone.
    var hasParts: Bool
    /// The change to the registry's badge counts.
    var badge: BadgeChange?
    /// True if the campaign is sent even to devices that have reached the frequency cap.
    var ignoresCap = false
    /// The campaign's tags as JSON.
    var tags = ""

    /// The facts of a chunk's shards; the devices of a chunk share provider, environment and language.
    ///
    /// `partEnd` is the end of their part, if the campaign's parts have ends of their own.
    func facts(
        provider: ProviderName,
        environment: String?,
        locale: String?,
        partEnd: Timestamp?
    ) throws(LedgerError) -> Shard.Facts {
        var result = facts
        var variants = variants
        if !contents.isEmpty {
            guard let content = contents.first(where: { $0.provider == provider }) else {
                throw .failed("campaign \(facts.campaignID) has no content for \(provider.rawValue)")
            }
            (result.provider, result.pushType) = (content.provider, content.pushType)
            (result.priority, result.collapseID) = (content.priority, content.collapseID)
            variants = content.variants
        }
        if let partEnd { result.expiresAt = partEnd }
        if let standard = variants.first {
            let index = LocaleFallback.index(of: locale, among: variants.dropFirst().map(\.locale))
            let variant = index.map { variants[$0 + 1] } ?? standard
            result.payload = variant.payload
            result.messageIDAt = variant.messageIDAt
            result.personal = variant.personal
        }
        result.environment = environment.flatMap { PushEnvironment(rawValue: $0) }
        return result
    }
}

extension LedgerReader {
    func campaignPush(_ number: UInt32) throws(LedgerError) -> CampaignPush? {
        let rows = try db.rows(
            """
            SELECT \(DeliveryPolicy.columns), app, id, provider, push_type, priority, expires_at, collapse_id, payload,
                trace_parent, list, carries_variables, message_id_at, has_parts, ignores_cap, badge_step, badge_count,
                tags
            FROM campaigns WHERE number = ?1
            """,
            .int(number)
        )
        guard try rows.next() else { return nil }
        let found = rows.text("push_type") == CampaignVariant.pushType ? try variants(number) : nil
        let contents = rows.text("push_type") == CampaignContent.severalPushTypes ? try contents(number) : []
        let pushType = found?.pushType ?? contents.first?.pushType ?? PushType(rawValue: rows.text("push_type"))
        guard let policy = DeliveryPolicy(rows), let pushType else {
            throw .failed("campaign \(number) has an urgency or push type that this version does not know")
        }
        let facts = Shard.Facts(
            app: rows.text("app"),
            campaignID: rows.text("id"),
            provider: rows.provider("provider"),
            environment: nil,
            policy: policy,
            pushType: pushType,
            priority: UInt8(truncatingIfNeeded: rows.int64("priority")),
            expiresAt: rows.time("expires_at"),
            collapseID: rows.text("collapse_id"),
            payload: rows.blob("payload"),
            messageIDAt: rows.optionalUInt32("message_id_at"),
            traceParent: rows.text("trace_parent")
        )
        return CampaignPush(
            facts: facts,
            list: rows.uint32("list"),
            carriesVariables: rows.bool("carries_variables"),
            variants: found?.variants ?? [],
            contents: contents,
            hasParts: rows.bool("has_parts"),
            badge: rows.optionalText("badge_step").flatMap { BadgeStep(rawValue: $0) }.map { .step($0) }
                ?? rows.optionalInt64("badge_count").map { .count(Int($0)) },
            ignoresCap: rows.bool("ignores_cap"),
            tags: rows.text("tags")
        )
    }
}
