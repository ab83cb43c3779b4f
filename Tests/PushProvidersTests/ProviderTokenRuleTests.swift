import Campaigns
import PushProviders
import Testing

struct ProviderTokenRuleTests {
    private let start = Timestamp(milliseconds: 1_795_204_500_000)

    private func minute(_ minutes: Double) -> Timestamp {
        start.advanced(by: .milliseconds(Int64(minutes * 60_000)))
    }

    private func emptyRule() throws -> ProviderTokenRule {
        ProviderTokenRule(identity: try #require(ProviderTokenIdentity(teamID: "ABCDE12345", keyID: "ABC123DEFG")))
    }

    /// Asks, and signs when told to.
    private func token(_ rule: inout ProviderTokenRule, _ now: Timestamp) throws -> ProviderToken {
        switch rule.tokenNeeded(now: now) {
        case .use(let token): return token
        case .sign: return rule.signed(Array(repeating: 7, count: 64))
        case .wait: throw NoToken()
        }
    }

    private struct NoToken: Error {}

    @Test func `a token is header, claims and signature as Apple wants them`() throws {
        var rule = try emptyRule()
        guard case .sign(let input) = rule.tokenNeeded(now: start) else {
            Issue.record("the first need is a signature")
            return
        }
        // {"alg":"ES256","kid":"ABC123DEFG"} . {"iss":"ABCDE12345","iat":1795204500}
        let text = "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJBQkNERTEyMzQ1IiwiaWF0IjoxNzk1MjA0NTAwfQ"
        #expect(String(decoding: input, as: UTF8.self) == text)
        let token = rule.signed(Array(repeating: 0xff, count: 64))
        let signature = String(repeating: "_", count: 85) + "w"
        #expect(String(decoding: token.authorization, as: UTF8.self) == "bearer \(text).\(signature)")
        #expect(token.issuedAt == start)
        #expect(rule.tokenNeeded(now: start) == .use(token))
    }

    @Test func `a token serves for 45 minutes and is renewed then`() throws {
        var rule = try emptyRule()
        let first = try token(&rule, start)
        #expect(rule.tokenNeeded(now: minute(44.99)) == .use(first))
        guard case .sign = rule.tokenNeeded(now: minute(45)) else {
            Issue.record("no renewal after 45 minutes")
            return
        }
        // The old one serves while the signature is made, but not beyond its hour.
        #expect(rule.tokenNeeded(now: minute(46)) == .use(first))
        #expect(rule.tokenNeeded(now: minute(59)) == .wait(until: nil))
        let second = rule.signed(Array(repeating: 8, count: 64))
        #expect(second.generation == first.generation + 1)
        #expect(second.issuedAt == minute(45))
        #expect(rule.tokenNeeded(now: minute(46)) == .use(second))
    }

    @Test func `an expired token is renewed when it is older than 20 minutes`() throws {
        var rule = try emptyRule()
        let first = try token(&rule, start)
        #expect(rule.expired(generation: first.generation, now: minute(20)) == .renew)
        let second = try token(&rule, minute(20))
        #expect(second.generation == 2)
        // A thousand streams say so of the first token: one renewal is enough.
        #expect(rule.expired(generation: first.generation, now: minute(20)) == .renew)
        #expect(rule.tokenNeeded(now: minute(20)) == .use(second))
    }

    @Test func `a token in place of a refused one is not blamed for what old connections say`() throws {
        var rule = try emptyRule()
        let first = try token(&rule, start)
        #expect(rule.expired(generation: first.generation, now: minute(30)) == .renew)
        let second = try token(&rule, minute(30))
        #expect(rule.expired(generation: second.generation, now: minute(30.9)) == .renew)
        #expect(rule.tokenNeeded(now: minute(30.9)) == .use(second))
        #expect(rule.expired(generation: second.generation, now: minute(31)) == .clockSuspect(until: minute(50)))
        #expect(rule.tokenNeeded(now: minute(31)) == .wait(until: minute(50)))
    }

    @Test func `a young token that is called expired points to the clock`() throws {
        var rule = try emptyRule()
        let first = try token(&rule, start)
        #expect(rule.expired(generation: first.generation, now: minute(5)) == .clockSuspect(until: minute(20)))
        #expect(rule.tokenNeeded(now: minute(6)) == .wait(until: minute(20)))
        #expect(try token(&rule, minute(20)).generation == 2)
    }

    @Test func `too many updates keep the old token and stop renewing for 20 minutes`() throws {
        var rule = try emptyRule()
        let first = try token(&rule, start)
        _ = try token(&rule, minute(45))
        rule.tooManyUpdates(now: minute(46))
        #expect(rule.tokenNeeded(now: minute(46)) == .use(first))
        #expect(rule.tokenNeeded(now: minute(58)) == .use(first))
        #expect(rule.tokenNeeded(now: minute(59)) == .wait(until: minute(66)))
        #expect(try token(&rule, minute(66)).generation == 3)
    }

    @Test func `too many updates without an older token keep the only one`() throws {
        var rule = try emptyRule()
        let first = try token(&rule, start)
        rule.tooManyUpdates(now: minute(40))
        #expect(rule.tokenNeeded(now: minute(50)) == .use(first))
        #expect(rule.tokenNeeded(now: minute(59.5)) == .wait(until: minute(60)))
        #expect(try token(&rule, minute(60)).generation == 2)
    }

    @Test func `a key that cannot sign is tried again after a minute`() throws {
        var rule = try emptyRule()
        _ = rule.tokenNeeded(now: start)
        rule.signingFailed(now: start)
        #expect(rule.tokenNeeded(now: minute(0.5)) == .wait(until: minute(1)))
        let first = try token(&rule, minute(1))
        _ = rule.tokenNeeded(now: minute(46))
        rule.signingFailed(now: minute(46))
        #expect(rule.tokenNeeded(now: minute(46)) == .use(first))
        #expect(try token(&rule, minute(47)).generation == 2)
    }

    @Test func `a clock that goes back makes a new token`() throws {
        var rule = try emptyRule()
        let first = try token(&rule, start)
        #expect(rule.tokenNeeded(now: minute(-0.5)) == .use(first))
        #expect(try token(&rule, minute(-30)).issuedAt == minute(-30))
    }

    @Test func `whatever happens, no two tokens are made within 20 minutes and none is used beyond its hour`() throws {
        for seed: UInt64 in 1...200 {
            var rule = try emptyRule()
            var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
            func below(_ bound: UInt64) -> UInt64 {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return (state >> 20) % bound
            }
            var now = start
            var made: [Timestamp] = []
            for _ in 0..<300 {
                now = now.advanced(by: .seconds(Int64(below(600))))
                switch rule.tokenNeeded(now: now) {
                case .use(let token):
                    #expect(now.since(token.issuedAt) < .seconds(3600), "seed \(seed)")
                    if below(8) == 0 { _ = rule.expired(generation: token.generation, now: now) }
                    if below(20) == 0 { rule.tooManyUpdates(now: now) }
                case .sign:
                    if below(5) == 0 {
                        rule.signingFailed(now: now)
                    } else {
                        if let last = made.last { #expect(now.since(last) >= .seconds(1200), "seed \(seed)") }
                        made.append(now)
                        _ = rule.signed(Array(repeating: 1, count: 64))
                    }
                case .wait(let until):
                    #expect(until.map { $0 > now } == true, "seed \(seed)")
                }
            }
            #expect(made.count > 5)
        }
    }

    @Test func `a signature that nobody asked for is our own bug`() async {
        await #expect(processExitsWith: .failure) {
            guard let identity = ProviderTokenIdentity(teamID: "ABCDE12345", keyID: "ABC123DEFG") else { return }
            var rule = ProviderTokenRule(identity: identity)
            _ = rule.signed(Array(repeating: 0, count: 64))
        }
    }

    @Test(arguments: [
        ("ABCDE12345", "ABC123DEFG", true), ("ABCDE1234", "ABC123DEFG", false), ("ABCDE12345", "ABC123DEFGH", false),
        ("abcde12345", "ABC123DEFG", false), ("ABCDE12345", "ABC123DEF!", false), ("ÄBCDE12345", "ABC123DEFG", false),
    ])
    func `team and key have ten capital letters or digits`(team: String, key: String, isGood: Bool) {
        #expect((ProviderTokenIdentity(teamID: team, keyID: key) != nil) == isGood)
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"), ("??>", "Pz8-"), ("???", "Pz8_"),
    ])
    func `base64 is the URL's, without padding`(text: String, expected: String) {
        #expect(String(decoding: Base64URL.encode(text.utf8), as: UTF8.self) == expected)
    }
}
