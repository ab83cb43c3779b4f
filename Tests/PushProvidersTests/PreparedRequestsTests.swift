import Campaigns
import PushProviders
import Testing

struct PreparedRequestsTests {
    @Test func `a request has Apple's headers, pseudo-headers first`() throws {
        let job = Fixtures.job { $0.delivery.collapseID = "derby-score" }
        let requests = try Fixtures.account().requests(
            for: Fixtures.facts(job),
            authorization: Array("bearer a.b.c".utf8),
            now: Fixtures.now
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
        let requests = try Fixtures.account().requests(
            for: Fixtures.facts(Fixtures.job()),
            authorization: [1],
            now: Fixtures.now
        )
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
        let job = Fixtures.job { $0.delivery.policy.dropIfOffline = true }
        let requests = try Fixtures.account().requests(for: Fixtures.facts(job), authorization: nil, now: Fixtures.now)
        #expect(Fixtures.lines(requests).contains("apns-expiration: 0"))
    }

    @Test func `an end before the epoch does not become the 0 that means something else`() throws {
        let facts = Fixtures.facts(Fixtures.job(), expiresAt: Timestamp(milliseconds: -5))
        let requests = try Fixtures.account().requests(for: facts, authorization: nil, now: Fixtures.now)
        #expect(Fixtures.lines(requests).contains("apns-expiration: 1"))
    }

    @Test func `an end beyond what the field holds is the last that it does`() throws {
        for (seconds, told) in [
            (4_294_967_295, "4294967295"), (4_294_967_296, "4294967295"), (253_402_214_400, "4294967295"),
        ] {
            let facts = Fixtures.facts(Fixtures.job(), expiresAt: Timestamp(milliseconds: Int64(seconds) * 1000))
            let requests = try Fixtures.account().requests(for: facts, authorization: nil, now: Fixtures.now)
            #expect(Fixtures.lines(requests).contains("apns-expiration: \(told)"))
        }
    }

    @Test func `with a certificate there is no authorization`() throws {
        let requests = try Fixtures.account().requests(
            for: Fixtures.facts(Fixtures.job()),
            authorization: nil,
            now: Fixtures.now
        )
        #expect(!Fixtures.lines(requests).contains { $0.hasPrefix("authorization") })
    }

    @Test func `a device's environment chooses the host, a gateway of one's own stands for both`() throws {
        let facts = Fixtures.facts(Fixtures.job(), environment: .sandbox)
        let sandbox = try Fixtures.account().requests(for: facts, authorization: nil, now: Fixtures.now)
        #expect(Fixtures.lines(sandbox).contains(":authority: api.sandbox.push.apple.com"))
        let gateway = try Fixtures.account { $0.endpoint = ProviderEndpoint(host: "localhost", port: 8443) }
        #expect(
            Fixtures.lines(gateway.requests(for: facts, authorization: nil, now: Fixtures.now)).contains(
                ":authority: localhost:8443"
            )
        )
    }

    @Test(arguments: [
        (PushType.alert, ""), (.background, ""), (.location, ".location-query"), (.voip, ".voip"),
        (.complication, ".complication"), (.fileprovider, ".pushkit.fileprovider"), (.mdm, ""),
        (.liveactivity, ".push-type.liveactivity"), (.pushtotalk, ".voip-ptt"), (.widgets, ".push-type.widgets"),
        (.controls, ".push-type.controls"),
    ])
    func `a push type adds its suffix to the topic`(pushType: PushType, suffix: String) throws {
        let facts = Fixtures.facts(Fixtures.bare(pushType))
        let lines = Fixtures.lines(try Fixtures.account().requests(for: facts, authorization: nil, now: Fixtures.now))
        #expect(lines.contains("apns-topic: com.example.news" + suffix))
        #expect(lines.contains("apns-push-type: \(pushType.rawValue)"))
    }

    @Test func `a topic that has its suffix already keeps it`() throws {
        let account = try Fixtures.account { $0.topic = "com.example.news.voip" }
        let requests = account.requests(
            for: Fixtures.facts(Fixtures.bare(.voip)),
            authorization: nil,
            now: Fixtures.now
        )
        #expect(Fixtures.lines(requests).contains("apns-topic: com.example.news.voip"))
    }

    @Test(arguments: [(DeliveryOptions.Priority.high, 10), (.normal, 5), (.low, 1)])
    func `priorities are Apple's numbers`(priority: DeliveryOptions.Priority, number: Int) throws {
        let job = Fixtures.job { $0.delivery.priority = priority }
        let requests = try Fixtures.account().requests(for: Fixtures.facts(job), authorization: nil, now: Fixtures.now)
        #expect(Fixtures.lines(requests).contains("apns-priority: \(number)"))
    }

    @Test func `a background push has priority 5 by itself`() throws {
        let job = Fixtures.bare(nil) { $0.content.contentAvailable = true }
        let lines = Fixtures.lines(
            try Fixtures.account().requests(for: Fixtures.facts(job), authorization: nil, now: Fixtures.now)
        )
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

    /// Returns the parts of a device's request, written between guards that must not change.
    private func fill(_ requests: PreparedRequests, token: [UInt8], device: UInt32) -> (id: String, path: String) {
        let guardByte: UInt8 = 0x7e
        let tail = requests.tail(tokenBytes: token.count)
        var memory = [guardByte] + requests.template + [UInt8](repeating: 0, count: tail) + [guardByte]
        memory.withUnsafeMutableBytes { memory in
            let room = UnsafeMutableRawBufferPointer(rebasing: memory[1..<memory.count - 1])
            token.withUnsafeBytes { requests.fill(room, token: $0, device: device) }
        }
        #expect(memory.first == guardByte && memory.last == guardByte)
        let room = Array(memory[1..<memory.count - 1])
        #expect(Array(room[requests.idRange.upperBound..<requests.lastAt]) == requests.body)
        return (
            String(decoding: room[requests.idRange], as: UTF8.self),
            String(decoding: room[requests.lastAt...], as: UTF8.self)
        )
    }

    @Test func `path and id are written in place, whatever the token's length`() throws {
        let requests = try Fixtures.account().requests(
            for: Fixtures.facts(Fixtures.job()),
            authorization: nil,
            now: Fixtures.now
        )
        for length in [0, 1, 3, 4, 31, 32, 80, 100] {
            let token = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 0x9f) }
            let digits = token.map { byte in
                let text = String(byte, radix: 16)
                return text.utf8.count == 1 ? "0" + text : text
            }
            #expect(fill(requests, token: token, device: 1).path == "/3/device/" + digits.joined())
        }
    }

    @Test func `all bytes have their digits, at every place of a token`() throws {
        let requests = try Fixtures.account().requests(
            for: Fixtures.facts(Fixtures.job()),
            authorization: nil,
            now: Fixtures.now
        )
        for byte in UInt8.min ... .max {
            let text = String(byte, radix: 16)
            let digits = text.utf8.count == 1 ? "0" + text : text
            let path = fill(requests, token: Array(repeating: byte, count: 7), device: 1).path
            #expect(path == "/3/device/" + String(repeating: digits, count: 7))
        }
    }

    @Test func `an id that is written in place is that of campaign and index`() throws {
        let job = Fixtures.job()
        let requests = try Fixtures.account().requests(for: Fixtures.facts(job), authorization: nil, now: Fixtures.now)
        let campaign = CampaignHash(app: job.app, id: job.id)
        for device: UInt32 in [0, 9, 10, 15, 16, 123_456_789, 0x89ab_cdef, .max] {
            let id = fill(requests, token: [1, 2], device: device).id
            #expect(id == RequestID.text(campaign: campaign, device: device))
        }
    }

    @Test func `memory that does not fit is our own bug`() async {
        await #expect(processExitsWith: .failure) {
            let requests = try Fixtures.account().requests(
                for: Fixtures.facts(Fixtures.job()),
                authorization: nil,
                now: Fixtures.now
            )
            var memory = requests.template
            memory.withUnsafeMutableBytes { room in
                [1 as UInt8].withUnsafeBytes { requests.fill(room, token: $0, device: 1) }
            }
        }
    }

    @Test func `success costs no look at the body, everything else goes to the provider`() throws {
        let requests = try Fixtures.account().requests(
            for: Fixtures.facts(Fixtures.job()),
            authorization: nil,
            now: Fixtures.now
        )
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
