import Campaigns
import PushProviders
import Testing

struct PreparedRequestsTests {
    @Test func `a request has Apple's headers, pseudo-headers first`() throws {
        let job = Fixtures.job { $0.delivery.collapseID = "derby-score" }
        let requests = try Fixtures.account().requests(
            for: Fixtures.facts(job),
            authorization: Array("bearer a.b.c".utf8)
        )
        #expect(
            Fixtures.lines(requests) == [
                ":method: POST",
                ":scheme: https",
                ":authority: api.push.apple.com",
                ":path: <path>",
                "apns-topic: com.example.news",
                "apns-push-type: alert",
                "apns-priority: 10",
                "apns-expiration: 1795205100",
                "apns-collapse-id: derby-score",
                "apns-id: <id>",
                "authorization: bearer a.b.c",
            ]
        )
        #expect(requests.body == Array(#"{"aps":{"alert":{"title":"Kick-off"}}}"#.utf8))
    }

    @Test func `what changes too often stays out of the header table`() throws {
        let requests = try Fixtures.account().requests(for: Fixtures.facts(Fixtures.job()), authorization: [1])
        let indexing = Dictionary(
            uniqueKeysWithValues: requests.headers.map { (String(decoding: $0.name, as: UTF8.self), $0.indexing) }
        )
        #expect(indexing[":path"] == .literal)
        #expect(indexing["authorization"] == .never)
        for name in ["apns-id", "apns-expiration", "apns-collapse-id"] { #expect(indexing[name] == .neverAfterFirst) }
        for name in [":method", ":authority", "apns-topic", "apns-push-type", "apns-priority"] {
            #expect(indexing[name] == .indexed)
        }
    }

    @Test func `a push that is not to be stored has expiration 0`() throws {
        let job = Fixtures.job { $0.delivery.dropIfOffline = true }
        let requests = try Fixtures.account().requests(for: Fixtures.facts(job), authorization: nil)
        #expect(Fixtures.lines(requests).contains("apns-expiration: 0"))
    }

    @Test func `an end before the epoch does not become the 0 that means something else`() throws {
        let facts = Fixtures.facts(Fixtures.job(), expiresAt: Timestamp(milliseconds: -5))
        let requests = try Fixtures.account().requests(for: facts, authorization: nil)
        #expect(Fixtures.lines(requests).contains("apns-expiration: 1"))
    }

    @Test func `with a certificate there is no authorization`() throws {
        let requests = try Fixtures.account().requests(for: Fixtures.facts(Fixtures.job()), authorization: nil)
        #expect(!Fixtures.lines(requests).contains { $0.hasPrefix("authorization") })
    }

    @Test func `a device's environment chooses the host, a gateway of one's own stands for both`() throws {
        let facts = Fixtures.facts(Fixtures.job(), environment: .sandbox)
        let sandbox = try Fixtures.account().requests(for: facts, authorization: nil)
        #expect(Fixtures.lines(sandbox).contains(":authority: api.sandbox.push.apple.com"))
        let gateway = try Fixtures.account { $0.endpoint = ProviderEndpoint(host: "localhost", port: 8443) }
        #expect(Fixtures.lines(gateway.requests(for: facts, authorization: nil)).contains(":authority: localhost:8443"))
    }

    @Test(arguments: [
        (PushType.alert, ""), (.background, ""), (.location, ".location-query"), (.voip, ".voip"),
        (.complication, ".complication"), (.fileprovider, ".pushkit.fileprovider"), (.mdm, ""),
        (.liveactivity, ".push-type.liveactivity"), (.pushtotalk, ".voip-ptt"), (.widgets, ".push-type.widgets"),
        (.controls, ".push-type.controls"),
    ])
    func `a push type adds its suffix to the topic`(pushType: PushType, suffix: String) throws {
        let facts = Fixtures.facts(Fixtures.bare(pushType))
        let lines = Fixtures.lines(try Fixtures.account().requests(for: facts, authorization: nil))
        #expect(lines.contains("apns-topic: com.example.news" + suffix))
        #expect(lines.contains("apns-push-type: \(pushType.rawValue)"))
    }

    @Test func `a topic that has its suffix already keeps it`() throws {
        let account = try Fixtures.account { $0.topic = "com.example.news.voip" }
        let requests = account.requests(for: Fixtures.facts(Fixtures.bare(.voip)), authorization: nil)
        #expect(Fixtures.lines(requests).contains("apns-topic: com.example.news.voip"))
    }

    @Test(arguments: [(DeliveryOptions.Priority.high, 10), (.normal, 5), (.low, 1)])
    func `priorities are Apple's numbers`(priority: DeliveryOptions.Priority, number: Int) throws {
        let job = Fixtures.job { $0.delivery.priority = priority }
        let requests = try Fixtures.account().requests(for: Fixtures.facts(job), authorization: nil)
        #expect(Fixtures.lines(requests).contains("apns-priority: \(number)"))
    }

    @Test func `a background push has priority 5 by itself`() throws {
        let job = Fixtures.bare(nil) { $0.content.contentAvailable = true }
        let lines = Fixtures.lines(try Fixtures.account().requests(for: Fixtures.facts(job), authorization: nil))
        #expect(lines.contains("apns-push-type: background"))
        #expect(lines.contains("apns-priority: 5"))
    }

    @Test func `a collapse id that is not given is short, the same each time, and another for each campaign`() {
        let first = APNsProvider().compile(Fixtures.job(), carriesMessageID: false).collapseID
        #expect(first == APNsProvider().compile(Fixtures.job(), carriesMessageID: false).collapseID)
        #expect((1...64).contains(first.utf8.count))
        let other = Fixtures.job { $0.id = "derby-2027" }
        #expect(first != APNsProvider().compile(other, carriesMessageID: false).collapseID)
    }

    @Test func `path and id are written in place, whatever the token's length`() throws {
        let requests = try Fixtures.account().requests(for: Fixtures.facts(Fixtures.job()), authorization: nil)
        for length in [0, 1, 32, 80, 100] {
            let token = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 0x9f) }
            let digits = token.map { byte in
                let text = String(byte, radix: 16)
                return text.utf8.count == 1 ? "0" + text : text
            }
            var memory = [UInt8](repeating: 0x7e, count: 300)
            let count = memory.withUnsafeMutableBytes { requests.writePath(token: token.span, into: $0) }
            #expect(count == requests.pathByteCount(tokenBytes: length))
            #expect(String(decoding: memory[..<count], as: UTF8.self) == "/3/device/" + digits.joined())
            #expect(memory[count...].allSatisfy { $0 == 0x7e })
        }
    }

    @Test func `an id that is written in place is that of campaign and index`() throws {
        let job = Fixtures.job()
        let requests = try Fixtures.account().requests(for: Fixtures.facts(job), authorization: nil)
        let campaign = CampaignHash(app: job.app, id: job.id)
        for device: UInt32 in [0, 15, 16, 123_456_789, .max] {
            var memory = [UInt8](repeating: 0x7e, count: 40)
            let count = memory.withUnsafeMutableBytes { requests.writeID(device: device, into: $0) }
            #expect(count == 36)
            #expect(
                String(decoding: memory[..<36], as: UTF8.self) == RequestID.text(campaign: campaign, device: device)
            )
            #expect(memory[36...].allSatisfy { $0 == 0x7e })
        }
    }

    @Test func `memory that is too small is our own bug`() async {
        await #expect(processExitsWith: .failure) {
            let requests = try Fixtures.account().requests(for: Fixtures.facts(Fixtures.job()), authorization: nil)
            var memory = [UInt8](repeating: 0, count: 35)
            _ = memory.withUnsafeMutableBytes { requests.writeID(device: 1, into: $0) }
        }
    }

    @Test func `success costs no look at the body, everything else goes to the provider`() throws {
        let requests = try Fixtures.account().requests(for: Fixtures.facts(Fixtures.job()), authorization: nil)
        let body = Array(#"{"reason":"Unregistered"}"#.utf8)
        let none: [UInt8] = []
        #expect(requests.isAccepted(status: 200))
        #expect(
            requests.classify(status: 200, body: body.span, retryAfter: none.span, now: Fixtures.now) == .accepted
        )
        let dead = requests.classify(status: 410, body: body.span, retryAfter: none.span, now: Fixtures.now)
        #expect(dead == Answer(.tokenDead(since: nil), reason: "Unregistered"))
    }
}
