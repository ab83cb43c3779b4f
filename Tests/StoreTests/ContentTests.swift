import Campaigns
import Delivery
import Store
import Testing

/// Contents that apps fetch: uploaded ones, and those of campaigns.
@Suite(.fewLedgersAtOnce)
struct ContentTests {
    private let scratch = ScratchLedger()

    private func content(_ text: String, version: String, type: String = "coupon") -> NewContent {
        NewContent(type: type, contentType: .plain, version: version, bytes: Array(text.utf8))
    }

    private func put(
        _ ledger: Ledger,
        _ content: NewContent,
        app: String = "news",
        at now: Timestamp = .start
    )
        async throws -> ContentResult
    {
        try await ledger.write(.synced) { try $0.putContent(content, app: app, id: "c-81", now: now) }
    }

    @Test(arguments: TestDatabase.all)
    func `an upload is found by app and id, replaced by other bytes and left alone by the same`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        #expect(try await put(ledger, content("one\u{1}é", version: "1")) == .added)
        #expect(try await put(ledger, content("one\u{1}é", version: "1"), at: .start + 5) == .unchanged)
        #expect(try await put(ledger, content("other", version: "9"), app: "shop") == .added)
        let first = try #require(try await ledger.read { try $0.content(app: "news", id: "c-81") })
        #expect(first.bytes == Array("one\u{1}é".utf8) && first.byteCount == 6 && first.at == .start)
        #expect(first.type == "coupon" && first.contentType == .plain && !first.isOfCampaign)
        #expect(try await put(ledger, content("two", version: "2"), at: .start + 9) == .replaced)
        let head = try #require(try await ledger.read { try $0.contentHead(app: "news", id: "c-81") })
        #expect(head.version == "2" && head.byteCount == 3 && head.bytes.isEmpty && head.at == .start + 9)
        #expect(try await ledger.read { try $0.contents() }.map(\.app) == ["news", "shop"])
        #expect(try await ledger.read { try $0.contents(app: "shop") }.map(\.version) == ["9"])
        #expect(try await ledger.write { try $0.removeContent(app: "news", id: "c-81") } == .removed)
        #expect(try await ledger.write { try $0.removeContent(app: "news", id: "c-81") } == .missing)
        #expect(try await ledger.read { try $0.content(app: "shop", id: "c-81") } != nil)
    }

    @Test(arguments: TestDatabase.all)
    func `what a campaign brings is there with it, is nobody else's to change, and goes with it`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        var new = Sample.campaign([2], facts: Sample.facts(id: "c-81"), identity: "c-81")
        new.kind = .poll
        new.content = NewContent(type: "poll", contentType: .json, version: "p", bytes: Array("{}".utf8))
        let number = try await ledger.accepted(new)
        let brought = try #require(try await ledger.read { try $0.content(app: "news", id: "c-81") })
        #expect(brought.isOfCampaign && brought.type == "poll" && brought.bytes == Array("{}".utf8))
        #expect(try await ledger.status(number).kind == "poll")
        #expect(try await ledger.read { try $0.campaigns(app: nil, limit: 5) }.map(\.kind) == ["poll"])
        #expect(try await put(ledger, content("x", version: "x")) == .ofCampaign)
        #expect(try await ledger.write { try $0.removeContent(app: "news", id: "c-81") } == .ofCampaign)
        for shard in try await ledger.planned(number) {
            let (record, token) = try await ledger.running(shard.record.id.key)
            let settlement = try Settlement.of(.accepted(record.count))
            _ = try await ledger.write(.synced) { try $0.settle(token, settlement, now: .start) }
        }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start) }
        let late = Timestamp.start + 91 * 86_400
        #expect(try await put(ledger, content("stays", version: "s"), app: "shop") == .added)
        _ = try await ledger.write { try $0.purge(campaign: number, Retention(), now: late) }
        #expect(try await ledger.read { try $0.contents() }.map(\.app) == ["shop"])
    }

    @Test(arguments: TestDatabase.all)
    func `a campaign of before has the kind notification`(_ database: TestDatabase) async throws {
        let ledger = try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([1], facts: Sample.facts(id: "a"), identity: "a"))
        #expect(try await ledger.status(number).kind == "notification")
        #expect(try await ledger.read { try $0.contents() } == [])
    }
}
