import Campaigns
import PushProviders
import Testing

/// A process's requests for Google's access tokens: one at a time, ahead of their expiry, and not in a loop.
struct AccessTokenRuleTests {
    private let start = FCMFixtures.now

    private func second(_ seconds: Int) -> Timestamp { start.advanced(by: .seconds(seconds)) }

    private func rule() throws -> any CredentialRule {
        guard case .token(let credential) = try FCMFixtures.account().credential else {
            throw SettingsRefused(problems: [])
        }
        return credential.makeRule(for: FCMSettings.google)
    }

    private func token(_ name: String, life: Int = 3600) -> TokenAnswer {
        let body = #"{"access_token":"ya29.\#(name)","expires_in":\#(life),"token_type":"Bearer"}"#
        return .answered(status: 200, body: Array(body.utf8))
    }

    /// Signs, and returns the request.
    private func question(_ rule: inout any CredentialRule, at now: Timestamp) throws -> TokenRequest {
        guard case .sign = rule.need(now: now).action else { throw NoQuestion() }
        rule.signed([1, 2, 3], now: now)
        guard case .fetch(let request) = rule.need(now: now).action else { throw NoQuestion() }
        return request
    }

    private struct NoQuestion: Error {}

    @Test func `the first need signs an assertion, then asks Google's token endpoint with it`() throws {
        var rule = try rule()
        guard case .sign(let input) = rule.need(now: start).action else {
            Issue.record("nothing is signed")
            return
        }
        let parts = String(decoding: input, as: UTF8.self).split(separator: ".")
        #expect(parts.count == 2)
        rule.signed([255, 255], now: start)
        guard case .fetch(let request) = rule.need(now: start).action else {
            Issue.record("nothing is asked")
            return
        }
        #expect(request.endpoint == ProviderEndpoint(host: "oauth2.googleapis.com") && request.path == "/token")
        let form = String(decoding: request.body, as: UTF8.self)
        #expect(form.hasPrefix("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="))
        #expect(form.hasSuffix("._-8") || form.hasSuffix(".__8"))
        #expect(rule.need(now: start) == CredentialNeed())
        rule.fetched(token("a"), now: start)
        #expect(rule.need(now: start).authorization?.value == Array("Bearer ya29.a".utf8))
    }

    @Test func `it is renewed five minutes ahead while requests go on with the old one`() throws {
        var rule = try rule()
        _ = try question(&rule, at: start)
        rule.fetched(token("a"), now: start)
        #expect(rule.need(now: second(3299)).action == nil)
        let need = rule.need(now: second(3300))
        #expect(need.authorization?.generation == 1)
        guard case .sign = need.action else {
            Issue.record("it is not renewed")
            return
        }
        rule.signed([1], now: second(3300))
        guard case .fetch = rule.need(now: second(3300)).action else {
            Issue.record("it is not asked for")
            return
        }
        #expect(rule.need(now: second(3301)).action == nil)
        rule.fetched(token("b"), now: second(3302))
        #expect(rule.need(now: second(3302)).authorization?.generation == 2)
    }

    @Test func `a token near its end is put on no request`() throws {
        var rule = try rule()
        _ = try question(&rule, at: start)
        rule.fetched(token("a", life: 60), now: start)
        #expect(rule.need(now: second(49)).authorization != nil)
        #expect(rule.need(now: second(50)).authorization == nil)
    }

    @Test func `a refused token is replaced once; when that one is refused, a person is asked`() throws {
        var rule = try rule()
        _ = try question(&rule, at: start)
        rule.fetched(token("a"), now: start)
        _ = rule.need(now: second(5))
        let first = rule.replaceRefused(generation: 1, now: second(10))
        #expect(first)
        // A thousand streams may report the same.
        let again = rule.replaceRefused(generation: 1, now: second(10))
        #expect(again)
        _ = try question(&rule, at: second(10))
        rule.fetched(token("b"), now: second(11))
        let second = rule.replaceRefused(generation: 2, now: second(12))
        #expect(!second)
        #expect(rule.need(now: self.second(12)).lack == .refused(reason: "UNAUTHENTICATED"))
        #expect(rule.need(now: self.second(13)).action == nil)
    }

    @Test func `a token that was renewed in time is replaced when it is refused, whatever was refused before`() throws {
        var rule = try rule()
        _ = try question(&rule, at: start)
        rule.fetched(token("a"), now: start)
        let isFirstReplaced = rule.replaceRefused(generation: 1, now: second(10))
        #expect(isFirstReplaced)
        _ = try question(&rule, at: second(10))
        rule.fetched(token("b"), now: second(10))
        _ = try question(&rule, at: second(3400))
        rule.fetched(token("c"), now: second(3400))
        let isRenewedReplaced = rule.replaceRefused(generation: 3, now: second(3410))
        #expect(isRenewedReplaced)
        #expect(rule.need(now: second(3410)).lack == nil)
    }

    @Test func `what fails on the way is tried again, ever later, and told after the third time`() throws {
        var rule = try rule()
        var now = start
        for (pause, isTold) in [(1, false), (2, false), (4, true), (8, true), (16, true), (32, true), (60, true)] {
            _ = try question(&rule, at: now)
            rule.fetched(.unreachable("no route"), now: now)
            #expect((rule.need(now: now).lack == .passing(reason: "NoAccessToken")) == isTold)
            #expect(rule.need(now: now.advanced(by: .milliseconds(pause * 1000 - 1))).action == nil)
            now = now.advanced(by: .seconds(pause))
        }
        _ = try question(&rule, at: now)
        rule.fetched(token("a"), now: now)
        #expect(rule.need(now: now).lack == nil)
    }

    @Test(arguments: [("invalid_grant", 400), ("unauthorized_client", 401)])
    func `what Google says of the key is told at once`(word: String, status: Int) throws {
        var rule = try rule()
        _ = try question(&rule, at: start)
        rule.fetched(.answered(status: status, body: Array(#"{"error":"\#(word)"}"#.utf8)), now: start)
        #expect(rule.need(now: start).lack == .refused(reason: "NoAccessToken \(word)"))
        #expect(rule.need(now: second(59)).action == nil)
        _ = try question(&rule, at: second(60))
    }

    @Test func `an answer that is no token is none`() throws {
        for body in [#"{"access_token":"a b"}"#, #"{"access_token":""}"#, "[]", "", #"{"access_token":7}"#] {
            var rule = try rule()
            _ = try question(&rule, at: start)
            rule.fetched(.answered(status: 200, body: Array(body.utf8)), now: start)
            #expect(rule.need(now: start).authorization == nil, "\(body)")
        }
    }
}
