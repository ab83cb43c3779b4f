import Campaigns
import Delivery
import Store
import Testing

/// Audiences whose providers are unknown until the audience is written.
@Suite(.fewLedgersAtOnce)
struct ProviderFreezingTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    /// Accepts a campaign for APNs and freezes its audience with these devices.
    private func frozen(_ groups: [(ProviderName, Int)], contents: [CampaignContent]) async throws -> UInt32 {
        var new = Sample.campaign()
        new.audience = .registry
        new.freezing = NewCampaign.Freezing(excludedList: nil)
        let number = try await ledger.accepted(new)
        let leased = try await ledger.write { try $0.leaseCampaigns(worker: 1, apps: ["news"], now: .start) }
        let lease = try #require(leased.first { $0.facts.number == number }).token
        let chunks = Sample.chunks(groups)
        let result = try await ledger.write(.synced) { transaction -> FreezeResult in
            let opened = try transaction.openFrozen(lease, now: .start)
            guard var audience = opened, audience.provider == .apns else { return .fenced }
            (audience.chunks, audience.devices) = (chunks.count, chunks.reduce(0) { $0 + $1.devices.count })
            _ = try transaction.writeFrozen(
                chunks,
                of: audience,
                isCheckpoint: true,
                findsDead: false,
                by: lease,
                now: .start
            )
            let found = try transaction.reader.chunkProviders(list: audience.list)
            guard found == Set(groups.map(\.0)).sorted(by: { $0.rawValue < $1.rawValue }) else { return .fenced }
            return try transaction.finishFrozen(audience, contents: contents, by: lease, now: .start)
        }
        #expect(result == .frozen(audience: groups.reduce(0) { $0 + $1.1 }))
        return number
    }

    @Test(arguments: TestDatabase.all) func `of one provider it is as it was accepted`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await frozen([(.apns, 4), (.apns, 3)], contents: [])
        let shards = try await ledger.planned(number)
        #expect(shards.count == 2 && shards.allSatisfy { $0.facts.payload == Sample.payload })
        let status = try await ledger.status(number)
        #expect(status.parts.isEmpty && status.of(.apns).audience == 7 && status.providers.count == 1)
    }

    @Test(arguments: TestDatabase.all) func `of another provider alone it is that one's`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await frozen([(.fcm, 4)], contents: [Sample.content(.fcm)])
        let shards = try await ledger.planned(number)
        #expect(shards.map(\.lane.description) == ["fcm.bulk"])
        #expect(shards.first?.facts.payload == Array(#"{"to":"fcm"}"#.utf8))
        #expect(shards.first?.facts.collapseID == "" && shards.first?.facts.priority == 5)
        #expect(try await ledger.status(number).parts.isEmpty)
    }

    @Test(arguments: TestDatabase.all) func `of another provider alone it has that one's languages`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let content = Sample.content(.fcm, locales: ["", "l10001"])
        let number = try await frozen([(.fcm, 4), (.fcm, 2)], contents: [content])
        let payloads = try await ledger.planned(number).map { String(decoding: $0.facts.payload, as: UTF8.self) }
        #expect(payloads == [#"{"to":"fcm"}"#, #"{"to":"fcml10001"}"#])
    }

    @Test(arguments: TestDatabase.all) func `of several providers it has a share of each, in its languages`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let contents = [Sample.content(.apns), Sample.content(.fcm, locales: ["", "l10002"])]
        let number = try await frozen([(.apns, 4), (.fcm, 3), (.fcm, 2)], contents: contents)
        let fcm = try await ledger.planned(number, .fcm).map { String(decoding: $0.facts.payload, as: UTF8.self) }
        #expect(fcm == [#"{"to":"fcm"}"#, #"{"to":"fcml10002"}"#])
        #expect(try await ledger.planned(number, .apns).map(\.record.count) == [4])
        let status = try await ledger.status(number)
        #expect(status.of(.apns).audience == 4 && status.of(.fcm).audience == 5 && status.law == .holds)
    }
}
