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

    /// Asks for a token, and signs when told to.
    private func token(_ rule: inout ProviderTokenRule, _ now: Timestamp) throws -> SignedToken {
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
        // The old one is used while the signature is made, but not beyond its hour.
        #expect(rule.tokenNeeded(now: minute(46)) == .use(first))
        #expect(rule.tokenNeeded(now: minute(59)) == .wait(until: nil))
        let second = rule.signed(Array(repeating: 8, count: 64))
        #expect(second.generation == first.generation + 1)
        #expect(second.issuedAt == minute(45))
        #expect(rule.tokenNeeded(now: minute(46)) == .use(second))
    }

    @Test func `P14: a refused token is replaced once, at once, whatever its age`() throws {
        for age in [0.0, 5, 19, 20, 44] {
            var rule = try emptyRule()
            let first = try token(&rule, start)
            #expect(rule.refused(generation: first.generation, now: minute(age)) == .renew)
            let second = try token(&rule, minute(age))
            #expect(second.generation == 2)
            #expect(second.issuedAt == minute(age))
            #expect(rule.refused(generation: 2, now: minute(age + 0.01)) == .suspect(until: minute(age + 20)))
        }
    }

    @Test func `P14: after a refused replacement nothing is made for 20 minutes, and only the provider can clear it`()
        throws
    {
        var rule = try emptyRule()
        _ = try token(&rule, start)
        _ = rule.refused(generation: 1, now: start)
        let second = try token(&rule, start)
        #expect(rule.refused(generation: 2, now: minute(1)) == .suspect(until: minute(20)))
        // After the app is resumed the same token is tried: the clock may have been set.
        #expect(rule.tokenNeeded(now: minute(2)) == .use(second))
        #expect(rule.refused(generation: 2, now: minute(2)) == .suspect(until: minute(20)))
        #expect(rule.tokenNeeded(now: minute(19.99)) == .use(second))
        let third = try token(&rule, minute(20))
        #expect(third.generation == 3)
        // A third token does not start the count anew.
        #expect(rule.refused(generation: 3, now: minute(21)) == .suspect(until: minute(40)))
    }

    @Test func `P14: what is said of an older token does not touch the one in use`() throws {
        var rule = try emptyRule()
        let first = try token(&rule, start)
        let second = try token(&rule, minute(45))
        // A thousand streams that were sent with the first token.
        for _ in 0..<1000 { #expect(rule.refused(generation: first.generation, now: minute(45)) == .renew) }
        #expect(rule.tokenNeeded(now: minute(45)) == .use(second))
        #expect(rule.refused(generation: second.generation, now: minute(46)) == .renew)
        let third = try token(&rule, minute(46))
        for old in 1...2 as ClosedRange<UInt32> {
            #expect(rule.refused(generation: old, now: minute(46)) == .renew)
        }
        #expect(rule.tokenNeeded(now: minute(46)) == .use(third))
        // Once the newest token is refused too, older ones need no new try.
        #expect(rule.refused(generation: 3, now: minute(47)) == .suspect(until: minute(66)))
        #expect(rule.refused(generation: 1, now: minute(47)) == .suspect(until: minute(66)))
    }

    @Test func `P15: too many updates keep the old token and stop renewing for 20 minutes`() throws {
        var rule = try emptyRule()
        let first = try token(&rule, start)
        let second = try token(&rule, minute(45))
        #expect(rule.tooManyUpdates(generation: second.generation, now: minute(46)) == .useOther)
        #expect(rule.tokenNeeded(now: minute(46)) == .use(first))
        // The other streams of that moment.
        #expect(rule.tooManyUpdates(generation: second.generation, now: minute(46)) == .useOther)
        #expect(rule.tokenNeeded(now: minute(58)) == .use(first))
        // The first one expires: the second one again, rather than none.
        #expect(rule.tokenNeeded(now: minute(59)) == .use(second))
        #expect(rule.tokenNeeded(now: minute(65.99)) == .use(second))
        #expect(try token(&rule, minute(90)).generation == 3)
    }

    @Test func `P15: too many updates without an older token keep the only one`() throws {
        var rule = try emptyRule()
        let first = try token(&rule, start)
        #expect(rule.tooManyUpdates(generation: 1, now: minute(40)) == .rest)
        #expect(rule.tokenNeeded(now: minute(50)) == .use(first))
        #expect(rule.tokenNeeded(now: minute(59.5)) == .wait(until: minute(60)))
        #expect(try token(&rule, minute(60)).generation == 2)
    }

    @Test func `P15: both tokens were too many, so that the older one stays`() throws {
        var rule = try emptyRule()
        let first = try token(&rule, start)
        _ = try token(&rule, minute(45))
        #expect(rule.tooManyUpdates(generation: 2, now: minute(46)) == .useOther)
        #expect(rule.tooManyUpdates(generation: 1, now: minute(47)) == .rest)
        #expect(rule.tokenNeeded(now: minute(47)) == .use(first))
    }

    @Test func `P15: a token that is refused while updates are too many is not replaced`() throws {
        var rule = try emptyRule()
        let first = try token(&rule, start)
        _ = rule.tooManyUpdates(generation: 1, now: minute(1))
        #expect(rule.refused(generation: 1, now: minute(2)) == .suspect(until: minute(21)))
        #expect(rule.tokenNeeded(now: minute(2)) == .use(first))
        #expect(try token(&rule, minute(21)).generation == 2)
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

    @Test func `P16: whatever happens, no token within 20 minutes but one for a refused one, none beyond its hour`()
        throws
    {
        var replacements = 0
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
            var made: [(token: SignedToken, isReplacement: Bool)] = []
            var refused: Set<UInt32> = []
            var pausedUntil = start
            for _ in 0..<300 {
                now = now.advanced(by: .seconds(Int64(below(600))))
                switch rule.tokenNeeded(now: now) {
                case .use(let token):
                    #expect(now.since(token.issuedAt) < .seconds(3600), "seed \(seed)")
                    // Also for a token that is no longer in use.
                    let about = below(3) == 0 ? UInt32(below(UInt64(made.count)) + 1) : token.generation
                    if below(8) == 0 {
                        _ = rule.refused(generation: about, now: now)
                        if about == token.generation { refused.insert(about) }
                    }
                    if below(20) == 0 {
                        _ = rule.tooManyUpdates(generation: about, now: now)
                        if about == token.generation { pausedUntil = now.advanced(by: .seconds(1200)) }
                    }
                case .sign:
                    #expect(now >= pausedUntil, "seed \(seed)")
                    if below(5) == 0 {
                        rule.signingFailed(now: now)
                        continue
                    }
                    var isReplacement = false
                    if let (last, wasReplacement) = made.last, now.since(last.issuedAt) < .seconds(1200) {
                        #expect(refused.contains(last.generation) && !wasReplacement, "seed \(seed)")
                        isReplacement = true
                        replacements += 1
                    }
                    made.append((rule.signed(Array(repeating: 1, count: 64)), isReplacement))
                case .wait(let until):
                    #expect(until.map { $0 > now } == true, "seed \(seed)")
                }
            }
            #expect(made.count > 5)
        }
        #expect(replacements > 100)
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
