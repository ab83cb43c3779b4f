import Campaigns
import Testing

@testable import PushProviders

@Suite struct WebPushAccountTests {
    private static let specimen = ProviderSpecimen.webPush

    private static func facts(_ change: (inout Shard.Facts) -> Void = { _ in }) -> Shard.Facts {
        var facts = specimen.facts(Fixtures.job())
        facts.environment = PushEnvironment(rawValue: "https://push.example.net:8443")
        change(&facts)
        return facts
    }

    private static func lines(_ facts: Shard.Facts) throws -> [String] {
        let requests = try specimen.account().requests(
            for: facts,
            authorization: Array("vapid t=x, k=y".utf8),
            now: Fixtures.now
        )
        return Fixtures.lines(requests)
    }

    @Test func `the headers are those of RFC 8030, to the push service of the shard`() throws {
        let tag = DefaultCollapseID.make(app: "news", id: "derby-2026")
        #expect(
            try Self.lines(Self.facts()) == [
                ":method: POST", ":scheme: https", ":authority: push.example.net:8443", ":path: <path>",
                "content-type: application/octet-stream", "content-encoding: aes128gcm", "ttl: 600", "urgency: high",
                "topic: \(tag)", "authorization: vapid t=x, k=y",
            ]
        )
        let account = try Self.specimen.account()
        #expect(account.endpoint(PushEnvironment(rawValue: "https://push.example.net")).host == "push.example.net")
        #expect(account.reachesGlobalAddressesOnly)
        #expect(try !Self.specimen.account(["addresses": "any"]).reachesGlobalAddressesOnly)
    }

    @Test(arguments: [
        (600_000, false, "600"), (1_999, false, "1"), (500, false, "1"), (-5, false, "1"), (600_000, true, "0"),
        (2_592_000_000, false, "2419200"),
    ])
    func `TTL is the time that is left, and 0 says now or never`(milliseconds: Int64, drops: Bool, ttl: String) throws {
        let facts = Self.facts { facts in
            facts.expiresAt = Timestamp(milliseconds: Fixtures.now.milliseconds + milliseconds)
            facts.policy.dropIfOffline = drops
        }
        #expect(try Self.lines(facts).contains("ttl: \(ttl)"))
    }

    @Test(arguments: [(10, "high"), (5, "normal"), (1, "low")])
    func `urgency comes from the priority`(priority: UInt8, urgency: String) throws {
        #expect(try Self.lines(Self.facts { $0.priority = priority }).contains("urgency: \(urgency)"))
    }

    @Test func `the keys of a token are read without a path of somebody else's`() throws {
        let requests = try Self.specimen.account().requests(for: Self.facts(), authorization: nil, now: Fixtures.now)
        let rule = try #require(requests.seal)
        let form = Self.specimen.provider.tokens
        let reading = try #require(form.token(Self.specimen.token))
        #expect(reading.environment?.rawValue == "https://push.example.net")
        let token = form.bytes(of: reading.text)
        var keys = [UInt8](repeating: 0, count: SealRule.keyBytes)
        let path = token.withUnsafeBytes { token in keys.withUnsafeMutableBytes { rule.read(token, $0) } }
        #expect(path.map { String(decoding: token[$0], as: UTF8.self) } == "/wpush/v2/gAAAA")
        #expect(keys[SealRule.publicKey].first == 4 && keys[64] == 0x0e)
        #expect(Array(keys[SealRule.secret]) == Base64URL.decode("BTBZMqHH6r4Tts7J_aSIgg".utf8))
        for broken in [[], Array("https://".utf8), [UInt8](repeating: 0x41, count: 300), token.dropLast()] {
            let found = Array(broken).withUnsafeBytes { token in keys.withUnsafeMutableBytes { rule.read(token, $0) } }
            #expect(found == nil)
        }
    }

    @Test func `a key file is PEM or 32 bytes, and what is neither is left to whoever reads PEM`() throws {
        // openssl ec -in … -no_public -outform PEM, of the key of RFC 7515, A.3
        let pem = """
            -----BEGIN PRIVATE KEY-----
            MEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCCOmxCecZCYv5gEh98f
            XXfpyylgbr7SJjtfV8IT34T0sg==
            -----END PRIVATE KEY-----

            """
        for text in [
            "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI", " jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI=\n", pem,
        ] {
            #expect(VAPIDKeyFile.pem(in: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } == pem)
        }
        #expect(VAPIDKeyFile.pem(in: Array("nonsense".utf8)) == Array("nonsense".utf8))
    }

    @Test func `a token that was refused is replaced once, at once`() throws {
        guard case .token(let credential) = try Self.specimen.account().credential else {
            Issue.record("no token")
            return
        }
        #expect(credential.isPerEndpoint)
        var rule = credential.makeRule(for: ProviderEndpoint(host: "push.example.net"))
        func expect(_ isReplaced: Bool, _ wanted: Bool) { #expect(isReplaced == wanted) }
        func sign() { rule.signed([UInt8](repeating: 1, count: 64), now: Fixtures.now) }
        guard case .sign = rule.need(now: Fixtures.now).action else {
            Issue.record("nothing to sign")
            return
        }
        sign()
        let first = try #require(rule.need(now: Fixtures.now).authorization)
        expect(rule.replaceRefused(generation: first.generation, now: Fixtures.now), true)
        let action = rule.need(now: Fixtures.now).action
        #expect(action != nil)
        sign()
        let second = try #require(rule.need(now: Fixtures.now).authorization)
        // A late report about the first token says nothing about the second.
        expect(rule.replaceRefused(generation: first.generation, now: Fixtures.now), true)
        let authorization = rule.need(now: Fixtures.now).authorization
        #expect(authorization == second)
        expect(rule.replaceRefused(generation: second.generation, now: Fixtures.now), false)
        let nothing = rule.need(now: Fixtures.now).action
        #expect(nothing == nil)
        let later = Fixtures.now.advanced(by: VAPIDTokenRule.renewalPause)
        expect(rule.replaceRefused(generation: second.generation, now: later), true)
    }
}
