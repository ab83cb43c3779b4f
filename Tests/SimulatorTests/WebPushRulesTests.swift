import HTTP2
import TLS
import Testing

@testable import Simulator

@Suite struct WebPushRulesTests {
    @Test func `a message is accepted, deciphered, and has an address of its own`() throws {
        let world = try WebPushWorld()
        let answer = try world.ask(world.fields(to: 7), world.seal("Gol", to: 7))
        #expect(answer.status == 201)
        #expect(answer.isAccepted)
        let location = answer.fields.first { $0.name == Array("location".utf8) }
        #expect(location?.value.starts(with: Array("\(WebPushWorld.origin)/message/".utf8)) == true)
        #expect(answer.fields.contains { $0.name == Array("ttl".utf8) && $0.value == Array("60".utf8) })
        #expect(world.statistics == ["deciphered": 1, "undecipherable": 0])
        // Sealed for another browser: the service cannot know this, and the person sees nothing.
        #expect(try world.ask(world.fields(to: 8), world.seal("Gol", to: 7)).status == 201)
        #expect(world.statistics == ["deciphered": 1, "undecipherable": 1])
    }

    @Test(
        arguments: [
            ("ttl", nil, 400), ("ttl", "soon", 400), ("ttl", "-1", 400), ("ttl", "0", 201), ("ttl", "99999999", 201),
            ("urgency", "very-low", 201), ("urgency", "urgent", 400), ("topic", String(repeating: "a", count: 32), 201),
            ("topic", String(repeating: "a", count: 33), 400), ("topic", "a b", 400), ("topic", "a.b", 400),
            (":method", "GET", 404), (":path", "/push/0123", 404), (":path", "/other", 404),
            (":path", "/push/00000000000000070000000000000000", 404), ("authorization", nil, 401),
            ("authorization", "bearer x", 401), ("authorization", "vapid t=x", 401),
            ("authorization", "vapid t=x,k=AA", 403),
        ] as [(String, String?, Int)]
    )
    func `one change to a good message gives RFC 8030's status`(_ name: String, _ value: String?, _ status: Int) throws
    {
        let world = try WebPushWorld()
        #expect(try world.answer("x-nothing", nil).status == 201)
        #expect(try world.answer(name, value).status == status)
    }

    @Test func `a time to live is cut to thirty days`() throws {
        let answer = try WebPushWorld().answer("ttl", "99999999")
        #expect(answer.fields.contains { $0.value == Array("2592000".utf8) })
    }

    @Test func `4096 bytes are taken and no more, in the one content coding`() throws {
        let world = try WebPushWorld()
        let full = try world.seal(String(repeating: "x", count: WebPushMessage.plaintextBytesMax), to: 7)
        #expect(full.count == 4096)
        #expect(try world.answer("x-nothing", nil, body: full).status == 201)
        #expect(try world.answer("x-nothing", nil, body: full + [0]).status == 413)
        #expect(try world.answer("content-encoding", "aesgcm", body: full).status == 400)
        #expect(try world.answer("content-encoding", nil).status == 201)
        #expect(world.statistics == ["deciphered": 1, "undecipherable": 0])
    }

    @Test func `VAPID tokens are refused for what is wrong with them`() throws {
        let world = try WebPushWorld()
        let other = try ES256.SigningKey(pem: ES256.generateKey().privateKeyPEM, source: "another key").publicKey()
        let wrong = [
            try world.vapid(audience: "https://push.example.com"), try world.vapid(expires: world.now - 1),
            try world.vapid(expires: world.now + 86_400 + 61), try world.vapid(subject: nil),
            try world.vapid(subject: "push@example.com"), try world.vapid(subject: "mailto:"),
            try world.vapid(header: #"{"alg":"HS256"}"#), try world.vapid(claimed: other),
            try world.vapid(claimed: Array(other.dropLast())),
        ]
        for authorization in wrong {
            #expect(try world.answer("authorization", authorization).status == 403, "\(authorization)")
        }
        #expect(try world.answer("authorization", world.vapid(expires: world.now + 86_400)).status == 201)
        #expect(try world.answer("authorization", world.vapid(subject: "https://example.com")).status == 201)
        // A token that was valid on this connection expires all the same.
        let authorization = try world.vapid(expires: world.now + 10)
        #expect(try world.answer("authorization", authorization).status == 201)
        world.now += 10
        #expect(try world.answer("authorization", authorization).status == 403)
    }

    @Test func `subscriptions that are restricted to a key take no other`() throws {
        var access = WebPushAccess()
        access.publicKeys = [
            try ES256.SigningKey(pem: ES256.generateKey().privateKeyPEM, source: "another key").publicKey()
        ]
        let world = try WebPushWorld(access: access)
        #expect(try world.answer("x-nothing", nil).status == 403)
    }

    @Test func `subscriptions come again from their seed, differ, and are known by their id alone`() throws {
        let subscriptions = WebPushSubscriptions(seed: 5)
        let made = try (0..<20).map { try subscriptions.subscription(UInt64($0), origin: "https://a") }
        #expect(try made[3] == WebPushSubscriptions(seed: 5).subscription(3, origin: "https://a"))
        #expect(try made[3] != WebPushSubscriptions(seed: 6).subscription(3, origin: "https://a"))
        #expect(Set(made.map(\.endpoint)).count == 20)
        #expect(Set(made.map(\.p256dh)).count == 20)
        #expect(Base64URL.decode(Array(made[0].p256dh.utf8))?.count == 65)
        #expect(Base64URL.decode(Array(made[0].auth.utf8))?.count == 16)
        for (number, one) in made.enumerated() {
            let id = Array((one.endpoint.split(separator: "/").last ?? "").utf8)
            #expect(subscriptions.number(ofID: id[...]) == UInt64(number))
            #expect(WebPushSubscriptions(seed: 6).number(ofID: id[...]) == nil)
        }
    }

    @Test func `a sample is deciphered, and every watched device`() throws {
        var access = WebPushAccess()
        access.decipheredShare = 0
        let world = try WebPushWorld(access: access)
        _ = try world.ask(world.fields(to: 7), world.seal("x", to: 7))
        #expect(world.statistics == ["deciphered": 0, "undecipherable": 0])
        let key = try #require(world.side.key(of: Array(world.side.subscriptions.id(7).utf8)[...]))
        world.side.devices?.set(key, isOnline: false, now: world.now * 1000)
        for text in ["1", "2"] {
            let fields = try world.fields(to: 7) + [(name: "topic", value: "score")]
            _ = try world.ask(fields, world.seal(#"{"title":"Gol","body":"\#(text)"}"#, to: 7))
        }
        world.side.devices?.set(key, isOnline: true, now: world.now * 1000)
        let inbox = world.side.devices?.inbox(of: key, now: world.now * 1000)
        #expect(inbox?.shown.map(\.message.body) == ["2"])
        #expect(inbox?.counts.collapsed == 1)
        #expect(world.statistics == ["deciphered": 2, "undecipherable": 0])
    }

    @Test(arguments: WebPushError.allCases)
    func `every error has its status and a body in autopush's form`(_ error: WebPushError) throws {
        let answer = WebPushAnswers.answer(to: .refusedByWebPush(error), faults: Faults())
        #expect(answer.status == error.status)
        let body = try JSONNode(parsing: answer.body[...])
        #expect(body["code"]?.integer == Int64(error.status))
        #expect(body["errno"]?.integer != nil)
        #expect(Behaviour(word: error.rawValue) == .refusedByWebPush(error))
        let hasLocation = answer.fields.contains { $0.name == Array("location".utf8) }
        #expect(hasLocation == (error == .redirect))
    }
}
