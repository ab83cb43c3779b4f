import Testing

@testable import Simulator

/// A change to an accepted FCM message, and the field for which it must be refused; nil when it stays accepted.
struct FCMCase: Sendable, CustomTestStringConvertible {
    let what: String
    let violation: String?
    let body: String

    init(_ what: String, _ violation: String?, message: String) {
        self.init(what, violation, body: #"{"message":{"token":"\#(FCMSample.token)",\#(message)}}"#)
    }

    init(_ what: String, _ violation: String?, body: String) {
        self.what = what
        self.violation = violation
        self.body = body
    }

    var testDescription: String { "\(what): \(violation ?? "accepted")" }
}

@Suite struct FCMRulesTests {
    @Test(arguments: shapeCases + targetCases + dataCases + androidCases + otherCases)
    func `a message is refused for the field that is wrong, in Google's words`(_ rule: FCMCase) throws {
        let world = try FCMWorld()
        let bearer = world.token()
        var sample = FCMSample()
        #expect(world.send(sample, bearer: bearer).status == 200)
        sample.body = rule.body
        let answer = world.send(sample, bearer: bearer)
        #expect(answer.violation == rule.violation)
        #expect(answer.status == (rule.violation == nil ? 200 : 400))
        if rule.violation != nil { #expect(answer.error?["status"]?.string == "INVALID_ARGUMENT") }
    }

    private static let unexpected = ": Invalid JSON payload received. Unexpected token."

    static let shapeCases = [
        FCMCase("no JSON", unexpected, body: "{"), FCMCase("an array", unexpected, body: "[]"),
        FCMCase("nothing", unexpected, body: ""),
        FCMCase("text after it", unexpected, body: #"{"message":{"token":"\#(FCMSample.token)"}}x"#),
        FCMCase("an empty object", "message: Recipient of the message is not set.", body: "{}"),
        // fcm-v1-http2, issue 5: the live service's own words.
        FCMCase(
            "an unknown name",
            "message: Invalid JSON payload received. Unknown name \"key\" at 'message': Cannot find field.",
            message: #""key":"unknown""#
        ),
        FCMCase(
            "an unknown name at the root",
            ": Invalid JSON payload received. Unknown name \"to\": Cannot find field.",
            body: #"{"to":"x"}"#
        ),
        FCMCase("null is absent", nil, message: #""notification":null,"data":null"#),
        FCMCase("names in camel case", nil, message: #""android":{"collapseKey":"a","directBootOk":true}"#),
        FCMCase(
            "a name twice",
            "message: Invalid JSON payload received. Field \"data\" is already set.",
            message: #""data":{},"data":{}"#
        ),
        FCMCase(
            "a message that is text",
            "message: Invalid value at 'message' (type.googleapis.com/message), \"x\"",
            body: #"{"message":"x"}"#
        ),
    ]

    static let targetCases = [
        FCMCase("no target", "message: Recipient of the message is not set.", body: #"{"message":{"data":{}}}"#),
        FCMCase(
            "an empty token",
            "message: Recipient of the message is not set.",
            body: #"{"message":{"token":""}}"#
        ),
        FCMCase(
            "two targets",
            "message: Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set 'topic'",
            message: #""topic":"news""#
        ),
        FCMCase("a topic", nil, body: #"{"message":{"topic":"news.tr_1~%-"}}"#),
        FCMCase("a topic with its folder", nil, body: #"{"message":{"topic":"/topics/news"}}"#),
        FCMCase("a bad topic", "message.topic: Malformed topic name", body: #"{"message":{"topic":"a b"}}"#),
        FCMCase("a condition", nil, body: #"{"message":{"condition":"'a' in topics"}}"#),
        FCMCase(
            "a token that is a number",
            "message.token: Invalid value at 'message.token' (TYPE_STRING), 5",
            body: #"{"message":{"token":5}}"#
        ),
    ]

    static let dataCases = [
        FCMCase(
            "a number in data",
            "message.data[1].value: Invalid value at 'message.data[1].value' (TYPE_STRING), 7",
            message: #""data":{"a":"b","match":7}"#
        ),
        FCMCase(
            "data that is a list",
            "message.data: Invalid value at 'message.data' (map), []",
            message: #""data":[]"#
        ),
        FCMCase("from", "message.data: Invalid data payload key: from", message: #""data":{"from":"x"}"#),
        FCMCase(
            "message_type",
            "message.data: Invalid data payload key: message_type",
            message: #""data":{"message_type":"x"}"#
        ),
        FCMCase("google.", "message.data: Invalid data payload key: google.a", message: #""data":{"google.a":"x"}"#),
        FCMCase("gcm.", "message.data: Invalid data payload key: gcm.n", message: #""android":{"data":{"gcm.n":"x"}}"#),
        FCMCase("words that only begin alike", nil, message: #""data":{"fromage":"x","googley":"y","gcm":"z"}"#),
        FCMCase("4096 bytes", nil, message: #""data":{"k":"\#(String(repeating: "x", count: 4095))"}"#),
        FCMCase(
            "4097 bytes",
            "message: Android message is too big",
            message: #""data":{"k":"\#(String(repeating: "x", count: 4096))"}"#
        ),
        FCMCase(
            "data and notification together",
            "message: Android message is too big",
            message: #""notification":{"body":"x"},"data":{"k":"\#(String(repeating: "x", count: 4095))"}"#
        ),
        FCMCase(
            "what the headers and the payload of APNs have does not count",
            nil,
            message: #""apns":{"payload":{"a":"\#(String(repeating: "x", count: 5000))"}}"#
        ),
        FCMCase(
            "2049 bytes to a topic",
            "message: Android message is too big",
            body: #"{"message":{"topic":"a","data":{"k":"\#(String(repeating: "x", count: 2048))"}}}"#
        ),
    ]

    private static func wrongTTL(_ text: String) -> String {
        "message.android.ttl: Invalid value at 'message.android.ttl' "
            + "(type.googleapis.com/google.protobuf.Duration), \(text)"
    }

    private static let tooLong = "message.android.ttl: Invalid TTL: must be between 0 and 2419200 seconds"

    static let androidCases = [
        FCMCase("now or never", nil, message: #""android":{"ttl":"0s"}"#),
        FCMCase("a fraction", nil, message: #""android":{"ttl":"3.5s"}"#),
        FCMCase("four weeks", nil, message: #""android":{"ttl":"2419200s"}"#),
        FCMCase("more than four weeks", tooLong, message: #""android":{"ttl":"2419201s"}"#),
        FCMCase("a fraction more", tooLong, message: #""android":{"ttl":"2419200.000000001s"}"#),
        FCMCase("a number of seconds", wrongTTL("60"), message: #""android":{"ttl":60}"#),
        FCMCase("no unit", wrongTTL(#""60""#), message: #""android":{"ttl":"60"}"#),
        FCMCase("another unit", wrongTTL(#""1m""#), message: #""android":{"ttl":"1m"}"#),
        FCMCase("before now", wrongTTL(#""-1s""#), message: #""android":{"ttl":"-1s"}"#),
        FCMCase("priorities in both cases", nil, message: #""android":{"priority":"high"}"#),
        FCMCase("the name of the priority", nil, message: #""android":{"priority":"NORMAL"}"#),
        FCMCase(
            "a priority of APNs",
            "message.android.priority: Invalid value at 'message.android.priority' (type.googleapis.com/"
                + "google.firebase.fcm.v1.AndroidConfig.AndroidMessagePriority), \"10\"",
            message: #""android":{"priority":"10"}"#
        ),
        FCMCase(
            "a color",
            "message.android.notification.color: Invalid color: must be in the form #RRGGBB",
            message: #""android":{"notification":{"color":"red"}}"#
        ),
        FCMCase(
            "arguments that are no list",
            "message.android.notification.body_loc_args: Invalid value at "
                + "'message.android.notification.body_loc_args' (repeated), \"x\"",
            message: #""android":{"notification":{"body_loc_args":"x"}}"#
        ),
        FCMCase(
            "everything that there is",
            nil,
            message: """
                "fcm_options":{"analytics_label":"derby_1"},"android":{"collapse_key":"k","direct_boot_ok":false,\
                "bandwidth_constrained_ok":true,"restricted_satellite_ok":true,"restricted_package_name":"com.example",\
                "notification":{"channel_id":"c","tag":"t","click_action":"a","icon":"i","color":"#00ff7F","sound":"s",\
                "image":"https://x/y","title_loc_key":"k","title_loc_args":["a"],"sticky":true,"visibility":"PUBLIC",\
                "notification_priority":"PRIORITY_HIGH","notification_count":3,"event_time":"2026-01-01T00:00:00Z",\
                "vibrate_timings":["1s","0.5s"],"light_settings":{"color":{"red":0.5},"light_on_duration":"1s"}}}
                """
        ),
    ]

    static let otherCases = [
        FCMCase(
            "apns and webpush",
            nil,
            message: """
                "apns":{"headers":{"apns-priority":"5"},"payload":{"aps":{"badge":1}},"live_activity_token":"x",\
                "fcm_options":{"image":"https://x"}},"webpush":{"headers":{"TTL":"60"},"data":{"a":"b"},\
                "notification":{"title":"x","actions":[]},"fcm_options":{"link":"https://x"}}
                """
        ),
        FCMCase(
            "a header of APNs that is a number",
            "message.apns.headers[0].value: Invalid value at 'message.apns.headers[0].value' (TYPE_STRING), 5",
            message: #""apns":{"headers":{"apns-priority":5}}"#
        ),
        FCMCase(
            "a label",
            "message.fcm_options.analytics_label: Invalid analytics label",
            message: #""fcm_options":{"analytics_label":"a b"}"#
        ),
        FCMCase(
            "a dry run that is text",
            "validate_only: Invalid value at 'validate_only' (TYPE_BOOL), \"yes\"",
            body: #"{"validate_only":"yes","message":{"token":"\#(FCMSample.token)"}}"#
        ),
    ]

    @Test(arguments: [
        "short", "x:y", String(repeating: "a", count: 152), "cXk3 dLrT:" + String(repeating: "c", count: 140),
        FCMSample.token + ":x",
    ])
    func `what is no token is said to be none, by FCM itself`(_ token: String) throws {
        let world = try FCMWorld()
        var sample = FCMSample()
        sample.body = #"{"message":{"token":"\#(token)"}}"#
        let answer = world.send(sample, bearer: world.token())
        // firebase-admin-java, issue 1064: the live service's own words.
        #expect(
            answer.text == """
                {
                  "error": {
                    "code": 400,
                    "message": "The registration token is not a valid FCM registration token",
                    "status": "INVALID_ARGUMENT",
                    "details": [
                      {
                        "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError",
                        "errorCode": "INVALID_ARGUMENT"
                      }
                    ]
                  }
                }

                """
        )
    }

    @Test func `an accepted message has a name, every one its own; a dry run has none`() throws {
        let world = try FCMWorld()
        let bearer = world.token()
        var sample = FCMSample()
        let names = (0..<3).compactMap { _ in FCMWorld.string("name", in: world.send(sample, bearer: bearer)) }
        #expect(Set(names).count == 3)
        #expect(names.allSatisfy { $0.hasPrefix("projects/\(FCMSample.project)/messages/0:") })
        sample.body = #"{"validate_only":true,"message":{"token":"\#(FCMSample.token)"}}"#
        sample.set("authorization", "Bearer \(bearer)")
        let (answer, addressee) = world.ask(sample.fields, sample.body)
        #expect(FCMWorld.string("name", in: answer) == "projects/\(FCMSample.project)/messages/fake_message_id")
        #expect(addressee?.isDryRun == true)
    }

    @Test func `paths, methods, projects and content types are Google's`() throws {
        let world = try FCMWorld()
        let bearer = world.token()
        func answer(_ name: String, _ value: String) -> Answer {
            var sample = FCMSample()
            sample.set(name, value)
            return world.send(sample, bearer: bearer)
        }
        #expect(answer(":method", "GET").status == 404)
        #expect(answer(":path", "/v1/projects/\(FCMSample.project)/messages").status == 404)
        let other = answer(":path", "/v1/projects/other/messages:send")
        #expect(other.status == 403)
        #expect(other.error?["status"]?.string == "PERMISSION_DENIED")
        #expect(other.detail("google.firebase.fcm.v1.FcmError") == nil)
        #expect(answer("content-type", "text/plain").status == 400)
        #expect(answer("content-type", "application/json; charset=utf-8").status == 200)
    }
}
