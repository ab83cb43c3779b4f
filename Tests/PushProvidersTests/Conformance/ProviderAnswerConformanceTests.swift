import Campaigns
import PushProviders
import Testing

/// The requirements on every provider's interpretation of answers.
struct ProviderAnswerConformanceTests {
    @Test(arguments: ProviderSpecimen.all)
    func `every documented error comes to its class, with the provider's word as the reason`(specimen: ProviderSpecimen)
    {
        for error in specimen.errors {
            let answer = specimen.answer(error.status, Array(error.body.utf8))
            #expect(answer.kind == error.kind, "\(error.status) \(error.body)")
            #expect(answer.reason == error.reason)
        }
        #expect(specimen.answer(specimen.success, []) == .accepted)
    }

    @Test(arguments: ProviderSpecimen.all)
    func `a dead token is dead for good: the instant is the provider's, or this one where it says none`(
        specimen: ProviderSpecimen
    ) {
        for error in specimen.errors {
            guard case .tokenDead(let since) = error.kind else { continue }
            let answer = specimen.answer(error.status, Array(error.body.utf8))
            #expect(answer.kind == .tokenDead(since: since))
            // Only Apple gives instants; without one nothing is known about a registration.
            #expect(since != nil || specimen.provider.name == .apns)
        }
    }

    @Test(arguments: ProviderSpecimen.all)
    func `a body that is cut, broken or strange never traps, and the status decides`(specimen: ProviderSpecimen) {
        var random = SplitMix(state: 11)
        for error in specimen.errors {
            let whole = Array(error.body.utf8)
            for end in whole.indices {
                let answer = specimen.answer(error.status, Array(whole[..<end]))
                #expect(answer.kind != .accepted && (answer.reason?.unicodeScalars.count ?? 0) <= 64)
            }
            for _ in 0..<50 {
                var bytes = whole
                if let index = bytes.indices.randomElement(using: &random) {
                    bytes[index] = .random(in: 0...255, using: &random)
                }
                #expect(specimen.answer(error.status, bytes).kind != .accepted)
            }
        }
        for status in 300..<1000 {
            for body in ["", "[]", "{}", "null", String(repeating: "[", count: 4096), "\u{0}"] {
                #expect(specimen.answer(status, Array(body.utf8)).kind != .accepted, "\(status) \(body.prefix(8))")
            }
        }
    }

    @Test(arguments: ProviderSpecimen.all)
    func `Retry-After is kept, as seconds and as a date, and nonsense is none`(specimen: ProviderSpecimen) {
        #expect(specimen.answer(503, [], retryAfter: "120").retryAfter == 120)
        #expect(specimen.answer(429, [], retryAfter: "120").retryAfter == 120)
        let date = "Fri, 20 Nov 2026 21:00:00 GMT"
        let seconds = specimen.answer(503, [], retryAfter: date).retryAfter
        #expect(seconds != nil && seconds != 120)
        for text in ["-1", "soon", "1.5", String(repeating: "9", count: 100)] {
            #expect(specimen.answer(503, [], retryAfter: text).retryAfter == nil, "\(text)")
        }
    }

    @Test(arguments: ProviderSpecimen.all)
    func `an expired credential is renewed without a charge, and a refused one stops the app, not the device`(
        specimen: ProviderSpecimen
    ) {
        let expired = specimen.provider.rule(for: .expiredCredential)
        #expect(expired.credential == .renew && !expired.isCharged && expired.breaker == .neutral)
        let refused = specimen.provider.rule(for: .credential)
        #expect(refused.device == .setAside && !refused.isCharged && refused.breaker == .opens)
    }

    @Test(arguments: ProviderSpecimen.all)
    func `only a dead token ends a device as invalid, only the content's fault counts against the campaign`(
        specimen: ProviderSpecimen
    ) {
        let provider = specimen.provider
        #expect(provider.rule(for: .accepted).device == .settle(.accepted))
        #expect(provider.rule(for: .tokenDead(since: nil)).device == .settle(.invalid))
        #expect(provider.rule(for: .tokenSuspect).device == .settleUnlessGuarded(.invalid))
        for kind in [AnswerClass.payloadBad, .bug] {
            #expect(provider.rule(for: kind).isContentFault != specimen.isAnsweredByStrangers)
        }
        for kind in [AnswerClass.serviceFault, .deviceThrottled, .connectionFault, .laneThrottled] {
            let rule = provider.rule(for: kind)
            if case .settle = rule.device { Issue.record("\(kind) ends a device") }
            #expect(!rule.isContentFault)
        }
        #expect(!provider.rule(for: .laneThrottled).isCharged && provider.rule(for: .laneThrottled).breaker == .opens)
    }

    @Test(arguments: ProviderSpecimen.all)
    func `nothing is sent again before the provider's first rung`(specimen: ProviderSpecimen) {
        for kind in [AnswerClass.serviceFault, .deviceThrottled] {
            guard case .retry(let rung) = specimen.provider.rule(for: kind).device else {
                Issue.record("\(kind) is not sent again")
                continue
            }
            #expect(rung >= specimen.provider.firstRung)
        }
    }

    @Test(arguments: ProviderSpecimen.all)
    func `a credential's rule asks for one thing at a time, and has a token when it got it`(
        specimen: ProviderSpecimen
    ) throws {
        guard case .token(let credential) = try specimen.account().credential else { return }
        var rule = credential.makeRule(for: try specimen.account().endpoint(nil))
        var need = rule.need(now: Fixtures.now)
        for _ in 0..<4 where need.authorization == nil {
            switch need.action {
            case .sign(let input):
                #expect(!input.isEmpty)
                rule.signed([UInt8](repeating: 1, count: credential.algorithm == .es256 ? 64 : 256), now: Fixtures.now)
            case .fetch:
                #expect(rule.need(now: Fixtures.now).action == nil)
                let body = #"{"access_token":"t","expires_in":3600,"token_type":"Bearer"}"#
                rule.fetched(.answered(status: 200, body: Array(body.utf8)), now: Fixtures.now)
            case nil: Issue.record("it waits for nothing")
            }
            need = rule.need(now: Fixtures.now)
        }
        let authorization = try #require(need.authorization)
        let isReplaced = rule.replaceRefused(generation: authorization.generation, now: Fixtures.now)
        #expect(isReplaced)
        let next = rule.need(now: Fixtures.now)
        #expect(next.action != nil && next.lack == nil)
    }
}

/// A generator determined by a seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}
