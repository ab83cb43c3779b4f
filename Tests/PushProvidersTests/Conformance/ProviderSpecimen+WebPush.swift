import Campaigns
import PushProviders

extension ProviderSpecimen {
    /// The specimen of RFC 8030, RFC 8292 and the services' additions (autopush, `docs/src/http.md`; Apple).
    static let webPush = ProviderSpecimen(
        provider: WebPushProvider(),
        settings: [
            "subject": "mailto:push@example.com",
            "public_key": "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs",
            "private_key_file": "news.vapid",
        ],
        files: ["news.vapid": Array("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI".utf8)],
        secrets: ["jpsQnn"],
        token: #"""
            {"endpoint":"https://push.example.net/wpush/v2/gAAAA","expirationTime":null,"keys":{
            "p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "auth":"BTBZMqHH6r4Tts7J_aSIgg"}}
            """#,
        brokenToken: "https://push.example.net/wpush/v2/gAAAA",
        errors: [
            (404, 102, AnswerClass.tokenDead(since: Fixtures.now)), (410, 103, .tokenDead(since: Fixtures.now)),
            (413, 104, .payloadBad),
            (410, 106, .tokenDead(since: Fixtures.now)), (400, 108, .tokenSuspect), (401, 109, .tokenSuspect),
            (400, 110, .tokenSuspect), (400, 111, .tokenSuspect), (400, 113, .tokenSuspect),
            (503, 201, .serviceFault), (500, 202, .serviceFault), (429, 429, .deviceThrottled),
            (500, 999, .serviceFault),
        ].map {
            error(
                status: $0,
                body: #"{"code":\#($0),"errno":\#($1),"error":"x","message":"y"}"#,
                kind: $2,
                "Errno\($1)"
            )
        }
            + [
                (400, "BadWebPushTopic", AnswerClass.tokenSuspect), (403, "BadJwtToken", .tokenSuspect),
                (403, "VapidPkHashMismatch", .tokenSuspect), (410, "Unregistered", .tokenDead(since: Fixtures.now)),
                (413, "PayloadTooLarge", .payloadBad), (429, "TooManyRequests", .deviceThrottled),
                (503, "ServiceUnavailable", .serviceFault),
            ].map { error(status: $0, body: #"{"reason":"\#($1)"}"#, kind: $2, $1) },
        success: 201,
        isAnsweredByStrangers: true
    )

    private static func error(status: Int, body: String, kind: AnswerClass, _ reason: String) -> DocumentedError {
        DocumentedError(status: status, body: body, kind: kind, reason: reason)
    }
}
