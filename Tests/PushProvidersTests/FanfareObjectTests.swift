import Campaigns
import PushProviders
import Testing

/// The object `fanfare` in a push (contract, section 5).
struct FanfareObjectTests {
    private let blank = String(repeating: "-", count: 22)

    @Test func `it stands beside aps, with room for the message id`() {
        let object = #"{"v":1,"c":"derby-2026","m":""# + blank + #""}"#
        let expected = #"{"aps":{"alert":{"title":"Kick-off"}},"fanfare":"# + object + "}"
        #expect(Fixtures.payload(Fixtures.job(), carriesMessageID: true) == expected)
    }

    @Test func `a media address is in it, and the peers of aps stay`() {
        let job = Fixtures.job {
            $0.content.mediaURL = "https://cdn.example.com/ü\".jpg"
            $0.content.data = [JSONMember("match", .number(JSONNumber(7)))]
        }
        let text = Fixtures.payload(job, carriesMessageID: true)
        #expect(text.contains(#","match":7,"fanfare":{"v":1,"c":"derby-2026","m":""# + blank + #"","i":"https:"#))
        let value = JSONReader.read(Array(text.utf8)).value
        #expect(value?["fanfare"]?["i"]?.string == job.content.mediaURL)
        #expect(value?["fanfare"]?["m"]?.string == blank)
    }

    @Test func `without a key nothing changes`() {
        #expect(Fixtures.payload(Fixtures.job()) == #"{"aps":{"alert":{"title":"Kick-off"}}}"#)
        #expect(APNsProvider().compile(Fixtures.job(), carriesMessageID: false).messageIDAt == nil)
    }

    @Test func `a device management push goes to no app`() {
        let job = Fixtures.bare(.mdm) { $0.content.data = [JSONMember("mdm", .string("magic"))] }
        #expect(Fixtures.payload(job, carriesMessageID: true) == #"{"mdm":"magic"}"#)
        #expect(APNsProvider().compile(job, carriesMessageID: true).messageIDAt == nil)
    }

    @Test func `whatever the content is, the place is that of m, and taking it out leaves the rest`() throws {
        let limits = JSONReader.Limits(depthMax: 32)
        for seed: UInt64 in 1...500 {
            var generator = ContentGenerator(seed: seed)
            let job = generator.job()
            guard job.delivery.pushType != .mdm else { continue }
            let push = APNsProvider().compile(job, carriesMessageID: true)
            let offset = Int(try #require(push.messageIDAt))
            var bytes = push.payload
            let id = "AAAABwA___8Ym1mJoEHYaQ"
            bytes.replaceSubrange(offset..<offset + 22, with: id.utf8)
            let value = try #require(JSONReader.read(bytes, limits: limits).value, "seed \(seed)")
            let object = try #require(value["fanfare"])
            let media = job.content.mediaURL
            #expect(object["m"]?.string == id && object["c"]?.string == job.id && object["i"]?.string == media)

            let facts = Fixtures.facts(job, carriesMessageID: true)
            let bare = try #require(JSONReader.read(facts.withoutMessageID().payload, limits: limits).value)
            #expect(bare["fanfare"]?["m"] == nil && bare["fanfare"]?["i"]?.string == media, "seed \(seed)")
            let members = try #require(bare.members).filter { $0.name != "fanfare" }
            let before = APNsProvider().compile(job, carriesMessageID: false).payload
            #expect(JSONWriter.bytes(.object(members)) == before, "seed \(seed)")
            let requests = try Fixtures.account().requests(for: facts, authorization: nil, now: Fixtures.now)
            #expect(requests.messageIDAt == requests.idRange.upperBound + offset)
            #expect(requests.body == push.payload)
        }
    }

    @Test func `the payload's limit counts it to the byte`() {
        var job = Fixtures.job { $0.content.body = "" }
        let push = APNsProvider().compile(job, carriesMessageID: true)
        job.content.body = String(repeating: "x", count: 4096 - push.payload.count)
        #expect(APNsProvider().check(job, carriesMessageID: true).problems.isEmpty)
        job.content.body?.append("x")
        let check = APNsProvider().check(job, carriesMessageID: true)
        #expect(check.problems.map(\.detail) == ["the payload has 4,097 bytes; with push type alert APNs takes 4,096"])
        #expect(APNsProvider().check(job, carriesMessageID: false).problems.isEmpty)
    }
}
