import Campaigns
import PushProviders
import Testing

struct FCMAnswersTests {
    @Test(arguments: [
        (404, "NOT_FOUND", "UNREGISTERED", AnswerClass.tokenDead(since: Fixtures.now)),
        (403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH", .tokenDead(since: Fixtures.now)),
        (401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR", .credential),
        (500, "INTERNAL", "INTERNAL", .serviceFault), (503, "UNAVAILABLE", "UNAVAILABLE", .serviceFault),
        (400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", .payloadBad),
    ])
    func `FCM's own code decides`(status: Int, word: String, code: String, kind: AnswerClass) {
        let body = FCMFixtures.error(status, word, details: [FCMFixtures.fcm(code)])
        #expect(FCMFixtures.answer(status, body) == Answer(kind, reason: code))
    }

    @Test func `an argument that is the token's is told apart from one of the message, and kills nothing`() {
        func body(_ field: String) -> String {
            let violation =
                #"{"@type":"type.googleapis.com/google.rpc.BadRequest","#
                + #""fieldViolations":[{"field":"\#(field)","description":"Invalid"}]}"#
            return FCMFixtures.error(
                400,
                "INVALID_ARGUMENT",
                details: [FCMFixtures.fcm("INVALID_ARGUMENT"), violation]
            )
        }
        #expect(
            FCMFixtures.answer(400, body("message.token"))
                == Answer(.tokenSuspect, reason: "INVALID_ARGUMENT message.token")
        )
        #expect(
            FCMFixtures.answer(400, body("message.android.ttl"))
                == Answer(.payloadBad, reason: "INVALID_ARGUMENT message.android.ttl")
        )
        #expect(FCMFixtures.answer(400, FCMFixtures.error(400, "INVALID_ARGUMENT")).kind == .payloadBad)
        let words = "The registration token is not a valid FCM registration token"
        let google = FCMFixtures.error(400, "INVALID_ARGUMENT", details: [FCMFixtures.fcm("INVALID_ARGUMENT")])
        #expect(FCMFixtures.answer(400, google.replacing(#""words""#, with: "\"\(words)\"")).kind == .tokenSuspect)
    }

    @Test(arguments: [
        ("project:news-app-1", "Quota exceeded", AnswerClass.laneThrottled, "QUOTA_EXCEEDED project"),
        ("device", "Device message rate exceeded", .deviceThrottled, "QUOTA_EXCEEDED device"),
        ("topics/x", "Topic message rate exceeded", .laneThrottled, "QUOTA_EXCEEDED topic"),
    ])
    func `which quota is used up is kept, and a minute is waited for`(
        subject: String,
        words: String,
        kind: AnswerClass,
        reason: String
    ) {
        let failure =
            #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","#
            + #""violations":[{"subject":"\#(subject)","description":"\#(words)"}]}"#
        let details = [FCMFixtures.fcm("QUOTA_EXCEEDED"), failure]
        let body = FCMFixtures.error(429, "RESOURCE_EXHAUSTED", details: details)
        #expect(FCMFixtures.answer(429, body) == Answer(kind, reason: reason, retryAfter: 60))
        #expect(FCMFixtures.answer(429, body, retryAfter: "90") == Answer(kind, reason: reason, retryAfter: 90))
    }

    @Test func `a wait in the body counts when no header has one`() {
        let info = #"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"12.5s"}"#
        let body = FCMFixtures.error(503, "UNAVAILABLE", details: [FCMFixtures.fcm("UNAVAILABLE"), info])
        #expect(FCMFixtures.answer(503, body).retryAfter == 13)
        #expect(FCMFixtures.answer(503, body, retryAfter: "30").retryAfter == 30)
    }

    @Test func `a plain 401 asks for another access token`() {
        let body = FCMFixtures.error(401, "UNAUTHENTICATED")
        #expect(FCMFixtures.answer(401, body) == Answer(.expiredCredential, reason: "UNAUTHENTICATED"))
        #expect(FCMFixtures.answer(401).kind == .expiredCredential)
        #expect(FCMFixtures.answer(403, FCMFixtures.error(403, "PERMISSION_DENIED")).kind == .credential)
    }

    @Test func `words that the message quotes decide nothing`() {
        let body =
            #"{"error":{"code":400,"message":"\"errorCode\":\"UNREGISTERED\"","status":"INVALID_ARGUMENT"}}"#
        #expect(FCMFixtures.answer(400, body).kind == .payloadBad)
    }

    @Test func `no repeat comes within ten seconds`() {
        let ladder = FCMProvider().firstRung
        #expect(ladder.delay >= .seconds(10))
        for kind in [AnswerClass.serviceFault, .deviceThrottled, .connectionFault] {
            switch FCMProvider().rule(for: kind).device {
            case .retry(let rung), .again(otherwise: .retry(let rung)): #expect(rung.delay >= .seconds(10))
            default: Issue.record("\(kind) is not sent again")
            }
        }
        #expect(FCMProvider().rule(for: .laneThrottled).credential == .keep)
    }
}
