import Campaigns
import PushProviders
import Testing

struct AnswerRuleTests {
    private func rule(_ kind: AnswerClass) -> AnswerRule { APNsProvider().rule(for: kind) }

    @Test func `answers about the device end it`() {
        #expect(rule(.accepted).device == .settle(.accepted))
        #expect(rule(.tokenDead(since: nil)).device == .settle(.invalid))
        #expect(rule(.tokenSuspect).device == .settleUnlessGuarded(.invalid))
        for kind in [AnswerClass.accepted, .tokenDead(since: nil), .tokenSuspect] {
            #expect(rule(kind).isCharged)
            #expect(rule(kind).breaker == .healthy)
        }
    }

    @Test func `answers about the content end the device and may stop the campaign`() {
        for kind in [AnswerClass.payloadBad, .bug] {
            #expect(rule(kind).device == .settle(.failed))
            #expect(rule(kind).isContentFault)
        }
    }

    @Test func `answers about the app cost the device no attempt`() {
        for kind in [AnswerClass.credential, .laneThrottled] {
            #expect(rule(kind).device == .setAside)
            #expect(!rule(kind).isCharged)
            #expect(rule(kind).breaker == .opens)
        }
        #expect(rule(.laneThrottled).credential == .stopRenewing)
    }

    @Test func `an expired token takes a new token and a new connection`() {
        let rule = rule(.expiredCredential)
        #expect(rule.credential == .renew)
        #expect(rule.connection == .replace)
        #expect(rule.device == .again(otherwise: .setAside))
        #expect(!rule.isCharged)
    }

    @Test func `P14: a credential in whose place another one serves costs nobody anything`() {
        for kind in [AnswerClass.expiredCredential, .credential, .laneThrottled] {
            let after = rule(kind).after(.replaced)
            #expect(after.device == .again(otherwise: .setAside))
            #expect(after.breaker == .neutral)
            #expect(!after.isCharged)
        }
    }

    @Test func `P14: a credential that is refused for good sets the app aside`() {
        let after = rule(.expiredCredential).after(.refused("clock skew"))
        #expect(after.device == .setAside)
        #expect(after.breaker == .opens)
        #expect(!after.isCharged)
        #expect(after.connection == .replace)
    }

    @Test func `answers about anything else do not care what became of the credential`() {
        let kinds: [AnswerClass] = [
            .accepted, .tokenDead(since: nil), .tokenSuspect, .payloadBad, .bug, .serviceFault, .deviceThrottled,
            .connectionFault, .wrongKeyForConnection,
        ]
        for kind in kinds {
            for finding in [CredentialFinding.nothing, .replaced, .refused("")] {
                #expect(rule(kind).after(finding) == rule(kind))
            }
        }
        #expect(rule(.laneThrottled).after(.nothing) == rule(.laneThrottled))
    }

    @Test func `what went wrong with the connection is sent again at once`() {
        for kind in [AnswerClass.connectionFault, .wrongKeyForConnection] {
            #expect(rule(kind).connection == .replace)
            #expect(!rule(kind).isCharged)
        }
        #expect(rule(.connectionFault).device == .again(otherwise: .retry(from: .seconds5)))
        #expect(rule(.wrongKeyForConnection).device == .again(otherwise: .setAside))
    }

    @Test func `an unwell service and a throttled device take the ladder`() {
        for kind in [AnswerClass.serviceFault, .deviceThrottled] {
            #expect(rule(kind).device == .retry(from: .seconds5))
            #expect(rule(kind).isCharged)
            #expect(rule(kind).connection == .keep)
        }
        #expect(rule(.serviceFault).breaker == .fault)
    }

    @Test func `any answer but a fault or a refused credential shows that the provider is up`() {
        let kinds: [AnswerClass] = [
            .accepted, .tokenDead(since: nil), .tokenSuspect, .payloadBad, .bug, .deviceThrottled,
        ]
        for kind in kinds { #expect(rule(kind).breaker == .healthy) }
        for kind in [AnswerClass.credential, .laneThrottled] { #expect(rule(kind).breaker == .opens) }
        for kind in [AnswerClass.expiredCredential, .wrongKeyForConnection] { #expect(rule(kind).breaker == .neutral) }
    }

    @Test func `who asks for time is not sent to at once`() {
        #expect(rule(.connectionFault).step(retryAfter: 30) == .retry(from: .seconds5))
        #expect(rule(.connectionFault).step(retryAfter: 0) == .again(otherwise: .retry(from: .seconds5)))
        #expect(rule(.connectionFault).step(retryAfter: nil) == .again(otherwise: .retry(from: .seconds5)))
        #expect(rule(.serviceFault).step(retryAfter: 30) == .retry(from: .seconds5))
        #expect(rule(.tokenDead(since: nil)).step(retryAfter: 30) == .settle(.invalid))
    }
}
