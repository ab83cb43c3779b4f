import Campaigns
import Delivery
import Store

extension ProviderName {
    static let fcm = ProviderName(rawValue: "fcm")
}

extension Sample {
    /// Returns chunks of so many devices each, by provider, in this order.
    static func chunks(_ groups: [(ProviderName, Int)], zones: [String?] = [nil]) -> [ListChunk] {
        var builder = ListBuilder()
        var chunks: [ListChunk] = []
        var number = 0
        for (ordinal, (provider, size)) in groups.enumerated() {
            for _ in 0..<size {
                let device = Device(
                    token: "",
                    provider: provider,
                    locale: "l\(10_000 + ordinal)",
                    timeZone: zones[ordinal % zones.count]
                )
                if let full = builder.add(device, token: token(number)) { chunks.append(full) }
                number += 1
            }
        }
        return chunks + builder.finish()
    }

    /// Returns a campaign's content for a provider, distinguishable from the others' content.
    static func content(_ provider: ProviderName, locales: [String] = [""]) -> CampaignContent {
        CampaignContent(
            provider: provider,
            pushType: .alert,
            priority: provider == .apns ? 10 : 5,
            collapseID: provider == .apns ? "score" : "",
            variants: locales.map { locale in
                CampaignVariant(
                    locale: locale,
                    payload: Array(#"{"to":"\#(provider.rawValue)\#(locale)"}"#.utf8),
                    messageIDAt: nil,
                    personal: PersonalContent()
                )
            }
        )
    }

    /// Returns a campaign of APNs and FCM with chunks of these sizes.
    static func mixed(
        _ groups: [(ProviderName, Int)] = [(.apns, 4), (.fcm, 3), (.apns, 2), (.fcm, 5)],
        facts: Shard.Facts = facts(),
        duplicates: Int = 0,
        release: NewCampaign.Release = NewCampaign.Release()
    ) -> NewCampaign {
        var new = campaign(facts: facts, release: release)
        new.audience = .inline(chunks(groups), version: "v1", duplicates: duplicates)
        new.contents = [content(.apns), content(.fcm)]
        return new
    }
}

extension Ledger {
    /// Leases one provider's share as worker 1; returns nil when this campaign has none.
    func lease(_ campaign: UInt32, _ provider: ProviderName, now: Timestamp = .start) async throws -> LeasedCampaign? {
        try await write { try $0.leaseCampaigns(worker: 1, apps: ["news"], now: now) }
            .first { $0.facts.number == campaign && $0.provider == provider }
    }

    /// Plans one provider's share.
    func planned(
        _ campaign: UInt32,
        _ provider: ProviderName,
        max: Int = 100,
        now: Timestamp = .start
    ) async throws -> [ShardToPublish] {
        guard let lease = try await lease(campaign, provider, now: now) else { return [] }
        let result = try await write {
            try $0.plan(
                lease.token,
                shardsMax: max,
                now: now
            )
        }
        guard case .planned(let shards) = result else { return [] }
        return shards
    }

    /// Claims a shard as worker 7.
    func claimed(_ shard: ShardToPublish, now: Timestamp = .start) async throws -> ClaimResult {
        let claim = Claim(
            key: shard.record.id.key,
            generation: shard.record.generation,
            redelivered: false,
            worker: 7,
            knowsApp: true
        )
        return try await write(scope: .shards) { try $0.claim(claim, now: now) }
    }

    /// Runs a shard to its end; the first `wrong` of its devices have suspect tokens.
    func ran(_ shard: ShardToPublish, wrong: Int = 0, now: Timestamp = .start) async throws {
        let claimed = try await claimed(shard, now: now)
        guard claimed.decision == .run, let record = claimed.record else {
            throw LedgerError.failed("not run but \(claimed.decision)")
        }
        var progress = record.progress
        for position in 0..<record.count {
            if position < wrong {
                progress.hold(position, Progress.Note(reason: "BadDeviceToken"))
            } else {
                progress.accept(position)
            }
        }
        let token = RunToken(key: record.id.key, epoch: record.epoch, worker: 7)
        let settlement = try Settlement.of(progress)
        guard case .settled = try await write(.synced, { try $0.settle(token, settlement, now: now) }) else {
            throw LedgerError.failed("not settled")
        }
    }
}

extension CampaignStatus {
    /// Returns the status of a provider; traps when there is none.
    func of(_ provider: ProviderName) -> ProviderStatus {
        guard let found = providers.first(where: { $0.provider == provider }) else {
            preconditionFailure("no devices of \(provider.rawValue)")
        }
        return found
    }
}
