import Campaigns
import Delivery
import GRDB
import Store
import Testing

/// A campaign's content by language, and the stored variables of a list.
struct VariantTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func variant(_ locale: String) -> CampaignVariant {
        CampaignVariant(
            locale: locale,
            payload: Array("{\"aps\":{\"alert\":\"\(locale)\"}}".utf8),
            messageIDAt: nil,
            personal: PersonalContent(placeholders: [TemplatePlaceholder(at: 17, source: "{{ first }}")])
        )
    }

    private func campaign() -> NewCampaign {
        var builder = ListBuilder()
        var chunks: [ListChunk] = []
        for (number, locale) in ["pt-BR", "pt-PT", "de", nil, "EN-us"].enumerated() {
            let device = Device(token: "", locale: locale, variables: ["first": "Ana\(number)"])
            if let full = builder.add(device, token: Sample.token(number)) { chunks.append(full) }
        }
        chunks += builder.finish()
        var new = Sample.campaign()
        new.carriesVariables = true
        new.audience = .inline(chunks, version: "v1", duplicates: 0)
        new.variants = ["", "pt", "pt-BR", "en"].map(variant)
        return new
    }

    @Test(arguments: TestDatabase.all)
    func `each chunk gets the nearest language, the same at every publish and for its retries`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(campaign())
        let planned = try await ledger.planned(number)
        let swept = try await ledger.read { try $0.unpublished(olderThan: .start + 1, now: .start, limit: 10) }
        #expect(swept == planned)
        var languages: [String: String] = [:]
        for shard in planned {
            let decoded = try Shard(encoded: try shard.body())
            #expect(decoded.facts.pushType == .alert && decoded.facts.personal == variant("").personal)
            let first = try #require(decoded.devices.variables.first?.values.first)
            let alert = JSONReader.read(decoded.facts.payload).value?["aps"]?["alert"]?.string
            languages[String(decoding: first ?? [], as: UTF8.self)] = alert
        }
        #expect(languages == ["Ana0": "pt-BR", "Ana1": "pt", "Ana2": "", "Ana3": "", "Ana4": "en"])
    }

    /// Returns the number of rows of the table `variants`.
    private func rows() throws -> Int {
        try DatabaseQueue(path: scratch.path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM variants") } ?? -1
    }

    @Test(arguments: TestDatabase.all)
    func `variants go with their campaign`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(campaign())
        let plain = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: "plain"), firstToken: 100))
        #expect(
            try await ledger.planned(plain).allSatisfy {
                $0.facts.personal.isEmpty && $0.facts.payload == Sample.payload
            }
        )
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: number, now: .start) }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start) }
        let later = Timestamp.start + 400 * 86_400
        #expect(try await ledger.read { try $0.campaignNumber(app: "news", id: "derby") } == number)
        if database == .sqlite { #expect(try rows() == 4) }
        _ = try await ledger.write { try $0.purge(campaign: number, Retention(), now: later) }
        if database == .sqlite { #expect(try rows() == 0) }
        #expect(try await ledger.status(plain).audience == 10)
        #expect(try await ledger.read { try $0.campaignNumber(app: "news", id: "derby") } == nil)
    }

    @Test(arguments: TestDatabase.all)
    func `a list knows its variables and how long they get`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let list = try await ledger.write { try $0.beginList(app: "news", name: "fans", now: .start) }
        for variables in [["first": "Ana", "club": "Atleti"], ["first": "María", "empty": ""], ["first": "Bo"]] {
            let chunks = Sample.chunks([2], variables: variables)
            var moved = chunks[0]
            moved.ordinal = UInt32(variables.count * 10 + (variables["first"]?.count ?? 0))
            try await ledger.write { [moved] in try $0.appendChunks([moved], to: list, now: .start) }
        }
        #expect(try await ledger.read { try $0.variables(ofList: list) } == ["first": 6, "club": 6, "empty": 0])
    }
}
