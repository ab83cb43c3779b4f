import Campaigns
import PushProviders
import Testing

struct APNsAnswersTests {
    /// Every status and reason of Apple's tables.
    static let table: [(Int, String, AnswerClass)] = [
        (400, "BadCollapseId", .payloadBad), (400, "BadExpirationDate", .payloadBad),
        (400, "BadMessageId", .payloadBad), (400, "BadPriority", .payloadBad), (400, "BadTopic", .payloadBad),
        (400, "DuplicateHeaders", .payloadBad), (400, "InvalidPushType", .payloadBad),
        (400, "MissingDeviceToken", .payloadBad), (400, "MissingTopic", .payloadBad),
        (400, "PayloadEmpty", .payloadBad), (400, "BadDeviceToken", .tokenSuspect),
        (400, "DeviceTokenNotForTopic", .tokenSuspect), (400, "TopicDisallowed", .credential),
        (400, "IdleTimeout", .connectionFault), (403, "BadCertificate", .credential),
        (403, "BadCertificateEnvironment", .credential), (403, "Forbidden", .credential),
        (403, "InvalidProviderToken", .expiredCredential), (403, "MissingProviderToken", .credential),
        (403, "ExpiredProviderToken", .expiredCredential), (403, "UnrelatedKeyIdInToken", .wrongKeyForConnection),
        (403, "BadEnvironmentKeyIdInToken", .credential), (403, "BadEnvironmentKeyInToken", .credential),
        (404, "BadPath", .bug), (405, "MethodNotAllowed", .bug), (410, "Unregistered", .tokenDead(since: nil)),
        (410, "ExpiredToken", .tokenDead(since: nil)), (413, "PayloadTooLarge", .payloadBad),
        (429, "TooManyRequests", .deviceThrottled), (429, "TooManyProviderTokenUpdates", .laneThrottled),
        (500, "InternalServerError", .serviceFault), (503, "ServiceUnavailable", .serviceFault),
        (503, "Shutdown", .connectionFault),
    ]

    @Test(arguments: table)
    func `each reason has its class, and is kept`(status: Int, reason: String, kind: AnswerClass) {
        let answer = Fixtures.answer(status, #"{"reason":"\#(reason)"}"#)
        #expect(answer == Answer(kind, reason: reason))
    }

    @Test func `a 410 says since when, in milliseconds`() {
        let body = #"{"reason":"Unregistered","timestamp":1795204500123}"#
        let answer = Fixtures.answer(410, body)
        #expect(answer.kind == .tokenDead(since: Timestamp(milliseconds: 1_795_204_500_123)))
        #expect(answer.reason == "Unregistered")
        for odd in ["\"1\"", "-5", "1.5", "1e3", "99999999999999999999", "null", "[1]"] {
            let answer = Fixtures.answer(410, #"{"timestamp":\#(odd),"reason":"ExpiredToken"}"#)
            #expect(answer == Answer(.tokenDead(since: nil), reason: "ExpiredToken"))
        }
    }

    @Test(arguments: [
        (400, AnswerClass.payloadBad), (401, .credential), (403, .credential), (404, .bug), (405, .bug),
        (408, .serviceFault), (410, .tokenDead(since: nil)), (413, .payloadBad), (418, .payloadBad),
        (421, .connectionFault), (425, .serviceFault), (429, .deviceThrottled), (500, .serviceFault),
        (502, .serviceFault), (503, .serviceFault), (504, .serviceFault), (599, .serviceFault), (302, .bug),
        (0, .serviceFault), (-1, .serviceFault), (100, .serviceFault), (600, .serviceFault), (.max, .serviceFault),
    ])
    func `without a readable body the status decides`(status: Int, kind: AnswerClass) {
        let bodies = [
            "", "{}", "[]", "null", "<html><body>Bad Gateway</body></html>", #"{"reason":"Unregis"#,
            #"{"reason":"Unregistered""#, #"{"reason":"Unregistered"} x"#, #"{"reason":"#, #"{"reason":"a\"#,
            #"{"reason":42}"#, #"{"reason":""}"#, #"{"reason":null}"#, #"{"error":{"reason":"Unregistered"}}"#,
            String(repeating: "[", count: 4000), #"{"a":"# + String(repeating: "{\"a\":", count: 500),
        ]
        for body in bodies {
            #expect(Fixtures.answer(status, body) == Answer(kind, reason: "Status\(status)"), "\(body.prefix(60))")
        }
    }

    @Test func `P20: a body of a megabyte is not looked at`() {
        let body = #"{"reason":"Shutdown","x":""# + String(repeating: "x", count: 1 << 20) + "\"}"
        #expect(Fixtures.answer(503, body) == Answer(.serviceFault, reason: "Status503"))
    }

    @Test func `a reason among other members and white space is found`() {
        let body =
            " {\n \"x\" : [1, {\"reason\":\"no\"}, \"]\"], \"y\\\"\":true,\t\"reason\" : \"BadDeviceToken\" }\r\n"
        #expect(Fixtures.answer(400, body) == Answer(.tokenSuspect, reason: "BadDeviceToken"))
    }

    @Test func `a reason belongs to its status`() {
        #expect(Fixtures.answer(500, #"{"reason":"BadDeviceToken"}"#).kind == .serviceFault)
        #expect(Fixtures.answer(400, #"{"reason":"Shutdown"}"#).kind == .payloadBad)
        #expect(Fixtures.answer(400, #"{"reason":"Shutdown"}"#).reason == "Shutdown")
    }

    @Test func `P20: an unknown reason is kept as it came`() {
        #expect(Fixtures.answer(400, #"{"reason":"NewIn2027"}"#) == Answer(.payloadBad, reason: "NewIn2027"))
        #expect(Fixtures.answer(400, #"{"reason":"baddevicetoken"}"#).kind == .payloadBad)
        #expect(Fixtures.answer(400, #"{"reason":"a\nb"}"#).reason == #"a\nb"#)
    }

    @Test func `an unknown reason is cut at 64 characters and cannot steer a terminal`() {
        let long = String(repeating: "ñ", count: 100)
        #expect(Fixtures.answer(400, #"{"reason":"\#(long)"}"#).reason == String(long.prefix(64)))
        let body = "{\"reason\":\"a\u{1b}[2J\u{0}\u{7f}\u{85}\u{202e}z\"}"
        #expect(Fixtures.answer(400, body).reason == #"a\u{1b}[2J\u{0}\u{7f}\u{85}\u{202e}z"#)
    }

    @Test func `bytes that are no text do no harm`() {
        let body: [UInt8] = Array(#"{"reason":""#.utf8) + [0xff, 0xfe, 0xc0] + Array("\"}".utf8)
        let none: [UInt8] = []
        let answer = APNsProvider().classify(
            status: 400,
            body: body.span,
            retryAfter: none.span,
            now: Fixtures.now
        )
        #expect(answer.reason == "\u{fffd}\u{fffd}\u{fffd}")
    }

    @Test func `no prefix and no mutation of an answer traps`() {
        let whole = Array(#"{"reason":"Unregistered","timestamp":1795204500123,"x":[{"y":"\u00e9"}]}"#.utf8)
        let none: [UInt8] = []
        for count in 0..<whole.count {
            let body = Array(whole[..<count])
            let answer = APNsProvider().classify(
                status: 410,
                body: body.span,
                retryAfter: none.span,
                now: Fixtures.now
            )
            #expect(answer == Answer(.tokenDead(since: nil), reason: "Status410"))
            for byte in [UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "}"), 0, 0xff] {
                var mutated = whole
                mutated[count] = byte
                let answer = APNsProvider().classify(
                    status: 410,
                    body: mutated.span,
                    retryAfter: none.span,
                    now: Fixtures.now
                )
                #expect(answer.reason != nil)
            }
        }
    }

    @Test func `any success is accepted`() {
        for status in [200, 201, 204] { #expect(Fixtures.answer(status, "<html>") == .accepted) }
    }

    @Test func `Retry-After comes along`() {
        let answer = Fixtures.answer(503, #"{"reason":"ServiceUnavailable"}"#, retryAfter: "120")
        #expect(answer == Answer(.serviceFault, reason: "ServiceUnavailable", retryAfter: 120))
    }
}
