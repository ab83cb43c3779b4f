import Campaigns
import PushProviders
import Testing

@Suite struct VAPIDTokenRuleTests {
    private static let identity = VAPIDIdentity(
        audience: "https://push.example.net",
        subject: "mailto:push@example.com",
        publicKey: "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
    )
    private static let signature = [UInt8](repeating: 7, count: 64)

    /// Signs whenever asked to, and returns the token that requests then carry; nil for none.
    private static func token(_ rule: inout VAPIDTokenRule, now: Timestamp) -> SignedToken? {
        switch rule.tokenNeeded(now: now) {
        case .use(let token): return token
        case .sign: return rule.signed(signature)
        case .wait: return nil
        }
    }

    @Test func `the token is that of RFC 8292, with its three claims`() throws {
        var rule = VAPIDTokenRule(identity: Self.identity)
        guard case .sign(let input) = rule.tokenNeeded(now: Fixtures.now) else {
            Issue.record("nothing to sign")
            return
        }
        let parts = input.split(separator: UInt8(ascii: "."))
        let texts = try parts.map { String(decoding: try #require(Base64URL.decode($0)), as: UTF8.self) }
        #expect(texts.first == #"{"alg":"ES256","typ":"JWT"}"#)
        let end = Fixtures.now.seconds + 12 * 3600
        #expect(
            texts.last == #"{"aud":"https://push.example.net","exp":\#(end),"sub":"mailto:push@example.com"}"#
        )
        let token = rule.signed(Self.signature)
        #expect(
            String(decoding: token.authorization, as: UTF8.self)
                == "vapid t=\(String(decoding: input, as: UTF8.self)).\(String(decoding: Base64URL.encode(Self.signature), as: UTF8.self)), k=\(Self.identity.publicKey)"
        )
    }

    @Test func `a token is used for six hours and renewed long before it ends`() throws {
        var rule = VAPIDTokenRule(identity: Self.identity)
        let first = try #require(Self.token(&rule, now: Fixtures.now))
        let almost = Fixtures.now.advanced(by: VAPIDTokenRule.renewalAge - .seconds(1))
        #expect(Self.token(&rule, now: almost) == first)
        let due = Fixtures.now.advanced(by: VAPIDTokenRule.renewalAge)
        guard case .sign = rule.tokenNeeded(now: due) else {
            Issue.record("not renewed")
            return
        }
        // A request while it is being signed uses the old one.
        #expect(rule.tokenNeeded(now: due) == .use(first))
        let second = rule.signed(Self.signature)
        #expect(second.generation == first.generation + 1)
        #expect(Self.token(&rule, now: due) == second)
    }

    @Test func `no two tokens are made within an hour, whatever the clock does`() throws {
        var rule = VAPIDTokenRule(identity: Self.identity)
        var made: [Timestamp] = []
        var now = Fixtures.now
        // Steps of 7 min for four days, with a clock that is sometimes set forward and back.
        for step in 0..<823 {
            now = now.advanced(by: .seconds(step % 97 == 96 ? 5 * 3600 : step % 53 == 52 ? -1800 : 420))
            if case .sign = rule.tokenNeeded(now: now) {
                made.append(now)
                _ = rule.signed(Self.signature)
            }
        }
        #expect(made.count > 8)
        for (earlier, later) in zip(made, made.dropFirst()) {
            #expect(later.since(earlier) >= VAPIDTokenRule.renewalPause)
        }
    }

    @Test func `a key that cannot sign is asked again after a minute, and a token that is good stays in use`() throws {
        var rule = VAPIDTokenRule(identity: Self.identity)
        guard case .sign = rule.tokenNeeded(now: Fixtures.now) else {
            Issue.record("nothing to sign")
            return
        }
        #expect(rule.tokenNeeded(now: Fixtures.now) == .wait(until: nil))
        rule.signingFailed(now: Fixtures.now)
        let again = Fixtures.now.advanced(by: .seconds(60))
        #expect(rule.tokenNeeded(now: Fixtures.now) == .wait(until: again))
        let token = try #require(Self.token(&rule, now: again))
        let due = again.advanced(by: VAPIDTokenRule.renewalAge)
        guard case .sign = rule.tokenNeeded(now: due) else {
            Issue.record("not renewed")
            return
        }
        rule.signingFailed(now: due)
        #expect(rule.tokenNeeded(now: due) == .use(token))
    }

    @Test func `a token is never used so late that it ends under way, nor when it would end more than a day ahead`()
        throws
    {
        var rule = VAPIDTokenRule(identity: Self.identity)
        let first = try #require(Self.token(&rule, now: Fixtures.now))
        let late = Fixtures.now.advanced(by: VAPIDTokenRule.lifetime - VAPIDTokenRule.reserve)
        let second = try #require(Self.token(&rule, now: late))
        #expect(second != first)
        // A clock set back by more than half a day: a service would refuse the current token.
        let back = late.advanced(by: .seconds(-43_200))
        #expect(rule.tokenNeeded(now: back) != .use(second))
    }
}
