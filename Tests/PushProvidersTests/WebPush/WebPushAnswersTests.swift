import Campaigns
import Testing

@testable import PushProviders

@Suite struct WebPushAnswersTests {
    @Test(arguments: [
        (200, AnswerClass.accepted), (201, .accepted), (202, .accepted), (204, .accepted),
        (404, .tokenDead(since: Fixtures.now)),
        (410, .tokenDead(since: Fixtures.now)), (413, .payloadBad), (406, .deviceThrottled), (429, .deviceThrottled),
        (408, .serviceFault), (425, .serviceFault), (500, .serviceFault), (502, .serviceFault), (503, .serviceFault),
        (599, .serviceFault), (421, .connectionFault), (301, .tokenSuspect), (302, .tokenSuspect), (307, .tokenSuspect),
        (308, .tokenSuspect), (400, .tokenSuspect), (401, .tokenSuspect), (403, .tokenSuspect), (405, .tokenSuspect),
        (418, .tokenSuspect), (100, .tokenSuspect), (0, .tokenSuspect),
    ])
    func `each status has its class`(status: Int, kind: AnswerClass) {
        #expect(Self.answer(status).kind == kind)
    }

    @Test func `no answer of one service stops the campaign, and only a fault of the service counts for the breaker`() {
        for status in 0...999 {
            let kind = Self.answer(status).kind
            let rule = WebPushAnswers.rule(for: kind, firstRung: .seconds5)
            #expect(!rule.isContentFault)
            #expect(rule.breaker != .opens)
            #expect(rule.breaker == .fault || kind != .serviceFault)
            #expect(rule.credential == .keep)
        }
    }

    @Test func `the reason is the service's own word`() {
        #expect(Self.answer(403, body: #"{"reason":"VapidPkHashMismatch"}"#).reason == "VapidPkHashMismatch")
        let autopush =
            #"{"code":401,"errno":109,"error":"Unauthorized","message":"Request did not validate","more_info":""}"#
        #expect(Self.answer(401, body: autopush).reason == "Errno109")
        #expect(Self.answer(410, body: "").reason == "Status410")
        #expect(Self.answer(400, body: "<html>").reason == "Status400")
        #expect(Self.answer(500, body: #"{"reason":"\#u{1b}[2J"}"#).reason?.contains("\u{1b}") == false)
        #expect(Self.answer(201, body: #"{"reason":"x"}"#) == .accepted)
    }

    @Test func `Retry-After is kept`() {
        #expect(Self.answer(429, retryAfter: "120").retryAfter == 120)
        #expect(Self.answer(503, retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT").retryAfter == 0)
        #expect(Self.answer(429, retryAfter: "soon").retryAfter == nil)
    }

    private static func answer(_ status: Int, body: String = "", retryAfter: String = "") -> Answer {
        let body = Array(body.utf8)
        let retryAfter = Array(retryAfter.utf8)
        return WebPushAnswers.classify(
            status: status,
            body: body.span,
            retryAfter: retryAfter.span,
            now: Fixtures.now
        )
    }
}
