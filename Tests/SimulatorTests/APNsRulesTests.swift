import Testing

@testable import Simulator

/// A change to an accepted request, and the expected reason of its refusal; nil when it stays accepted.
struct RuleCase: Sendable, CustomTestStringConvertible {
    let what: String
    let reason: APNsReason?
    let change: @Sendable (inout Sample) -> Void

    init(_ what: String, _ reason: APNsReason?, _ change: @escaping @Sendable (inout Sample) -> Void) {
        self.what = what
        self.reason = reason
        self.change = change
    }

    var testDescription: String { "\(what): \(reason?.rawValue ?? "accepted")" }
}

@Suite struct APNsRulesTests {
    @Test(arguments: pathCases + headerCases + topicCases + payloadCases + credentialCases + certificateCases)
    func `one change to a good request gives Apple's reason`(_ rule: RuleCase) throws {
        var sample = Sample()
        #expect(try sample.reason() == nil)
        rule.change(&sample)
        #expect(try sample.reason() == rule.reason)
    }

    static let pathCases = [
        RuleCase("GET", .methodNotAllowed) { $0.method = "GET" },
        RuleCase("an older path", .badPath) { $0.path = "/2/device/\(Sample.token)" },
        RuleCase("a path that goes on", .badPath) { $0.path += "/x" },
        RuleCase("a word that only begins alike", .badPath) { $0.path = "/3/devices/\(Sample.token)" },
        RuleCase("no token", .missingDeviceToken) { $0.path = "/3/device/" },
        RuleCase("no slash for the token", .missingDeviceToken) { $0.path = "/3/device" },
        RuleCase("not hexadecimal", .badDeviceToken) { $0.path = "/3/device/\(String(repeating: "xy", count: 32))" },
        RuleCase("too short", .badDeviceToken) { $0.path = "/3/device/0a1b" },
        RuleCase("an odd length", .badDeviceToken) { $0.path += "0" },
        RuleCase("upper case", nil) { $0.path = "/3/device/\(Sample.token.uppercased())" },
        RuleCase("a token of a Live Activity", nil) { $0.path = "/3/device/\(Sample.token)\(Sample.token)ff" },
    ]

    static let headerCases = [
        RuleCase("a header twice", .duplicateHeaders) { $0.headers.append(("apns-topic", "com.example.news")) },
        RuleCase("an unknown header twice", nil) { $0.headers += [("x-a", "1"), ("x-a", "2")] },
        RuleCase("an id in upper case", .badMessageID) {
            $0.set("apns-id", "0F8FAD5B-D9CB-469F-A165-70867728950E")
        },
        RuleCase("an id without dashes", .badMessageID) { $0.set("apns-id", "0f8fad5bd9cb469fa16570867728950e") },
        RuleCase("no id", nil) { $0.set("apns-id", nil) },
        RuleCase("an expiration in words", .badExpirationDate) { $0.set("apns-expiration", "tomorrow") },
        RuleCase("an expiration in milliseconds", .badExpirationDate) { $0.set("apns-expiration", "1790003600000") },
        RuleCase("a negative expiration", .badExpirationDate) { $0.set("apns-expiration", "-1") },
        RuleCase("an empty expiration", .badExpirationDate) { $0.set("apns-expiration", "") },
        RuleCase("expiration 0", nil) { $0.set("apns-expiration", "0") },
        RuleCase("priority 7", .badPriority) { $0.set("apns-priority", "7") },
        RuleCase("priority high", .badPriority) { $0.set("apns-priority", "high") },
        RuleCase("priority 1", nil) { $0.set("apns-priority", "1") },
        RuleCase("no priority", nil) { $0.set("apns-priority", nil) },
        RuleCase("a collapse id of 65 bytes", .badCollapseID) {
            $0.set("apns-collapse-id", String(repeating: "a", count: 65))
        },
        RuleCase("33 characters of two bytes", .badCollapseID) {
            $0.set("apns-collapse-id", String(repeating: "é", count: 33))
        },
        RuleCase("a collapse id of 64 bytes", nil) {
            $0.set("apns-collapse-id", String(repeating: "a", count: 64))
        },
        RuleCase("an empty collapse id", .badCollapseID) { $0.set("apns-collapse-id", "") },
    ]

    static let topicCases = [
        RuleCase("no topic", .missingTopic) { $0.set("apns-topic", nil) },
        RuleCase("a topic with a blank", .badTopic) { $0.set("apns-topic", "com.example news") },
        RuleCase("an empty topic", .badTopic) { $0.set("apns-topic", "") },
        RuleCase("another app", .topicDisallowed) { $0.set("apns-topic", "com.example.other") },
        RuleCase("an alert to the VoIP topic", .topicDisallowed) { $0.set("apns-topic", "com.example.news.voip") },
        RuleCase("VoIP without its suffix", .topicDisallowed) { $0.set("apns-push-type", "voip") },
        RuleCase("an unknown push type", .invalidPushType) { $0.set("apns-push-type", "Alert") },
        RuleCase("no push type", nil) { $0.set("apns-push-type", nil) },
        RuleCase("no push type, told by the topic", nil) {
            $0.set("apns-push-type", nil)
            $0.set("apns-topic", "com.example.news.voip")
        },
        RuleCase("any topic where none is registered", nil) {
            $0.access.topics = []
            $0.set("apns-topic", "com.example.other")
        },
        RuleCase("VoIP without its suffix where none is registered", .topicDisallowed) {
            $0.access.topics = []
            $0.set("apns-topic", "com.example.other.voip")
        },
        RuleCase("a key of other topics", .topicDisallowed) {
            $0.access.keys = [Sample.news.providerKey(topics: ["com.example.sport"])]
        },
        RuleCase("a key of this topic", nil) {
            $0.access.keys = [Sample.news.providerKey(topics: ["com.example.news"])]
        },
    ]

    static let payloadCases = [
        RuleCase("no body", .payloadEmpty) { $0.body = "" },
        RuleCase("no JSON", .payloadEmpty) { $0.body = "{'aps':{}}" },
        RuleCase("a comma too much", .payloadEmpty) { $0.body = #"{"aps":{"alert":"x"},}"# },
        RuleCase("no aps", .payloadEmpty) { $0.body = #"{"alert":"x"}"# },
        RuleCase("aps that is no dictionary", .payloadEmpty) { $0.body = #"{"aps":"alert"}"# },
        RuleCase("4096 bytes", nil) { $0.body = padded(to: 4096) },
        RuleCase("4097 bytes", .payloadTooLarge) { $0.body = padded(to: 4097) },
        RuleCase("VoIP of 5120 bytes", nil) { voip(&$0, bytes: 5120) },
        RuleCase("VoIP of 5121 bytes", .payloadTooLarge) { voip(&$0, bytes: 5121) },
        RuleCase("an alert that is a background update", .invalidPushType) {
            $0.body = #"{"aps":{"content-available":1}}"#
        },
        RuleCase("an alert that also wakes the app", nil) {
            $0.body = #"{"aps":{"alert":"x","content-available":1}}"#
        },
        RuleCase("background", nil) { background(&$0, body: #"{"aps":{"content-available":1},"a":[1,2]}"#) },
        RuleCase("background with priority 10", .badPriority) {
            background(&$0, body: #"{"aps":{"content-available":1}}"#, priority: "10")
        },
        RuleCase("background without priority", .badPriority) {
            background(&$0, body: #"{"aps":{"content-available":1}}"#, priority: nil)
        },
        RuleCase("background with an alert", .invalidPushType) {
            background(&$0, body: #"{"aps":{"content-available":1,"alert":"x"}}"#)
        },
        RuleCase("background without content-available", .invalidPushType) { background(&$0, body: #"{"aps":{}}"#) },
        RuleCase("a Live Activity", nil) {
            activity(&$0, body: #"{"aps":{"event":"update","timestamp":1790000000,"content-state":{}}}"#)
        },
        RuleCase("a Live Activity without timestamp", .invalidPushType) {
            activity(&$0, body: #"{"aps":{"event":"update","content-state":{}}}"#)
        },
        RuleCase("a Live Activity whose timestamp is a text", .invalidPushType) {
            activity(&$0, body: #"{"aps":{"event":"update","timestamp":"1790000000","content-state":{}}}"#)
        },
        RuleCase("an update of a Live Activity without a state", .invalidPushType) {
            activity(&$0, body: #"{"aps":{"event":"update","timestamp":1790000000}}"#)
        },
        RuleCase("the start of a Live Activity", nil) { activity(&$0, body: start()) },
        RuleCase("a start without an alert", .invalidPushType) { activity(&$0, body: start(without: "alert")) },
        RuleCase("a start without a type", .invalidPushType) {
            activity(&$0, body: start(without: "attributes-type"))
        },
        RuleCase("a start without attributes", .invalidPushType) { activity(&$0, body: start(without: "attributes")) },
        RuleCase("a Live Activity with an unknown event", .invalidPushType) {
            activity(&$0, body: #"{"aps":{"event":"pause","timestamp":1790000000}}"#)
        },
        RuleCase("a widget", nil) { widget(&$0, body: #"{"aps":{"content-changed":true}}"#) },
        RuleCase("a widget that did not change", .invalidPushType) {
            widget(&$0, body: #"{"aps":{"content-changed":false}}"#)
        },
    ]

    private static func padded(to bytes: Int) -> String {
        let frame = #"{"aps":{"alert":""}}"#
        return #"{"aps":{"alert":""# + String(repeating: "a", count: bytes - frame.utf8.count) + #""}}"#
    }

    private static func voip(_ sample: inout Sample, bytes: Int) {
        sample.set("apns-push-type", "voip")
        sample.set("apns-topic", "com.example.news.voip")
        sample.body = padded(to: bytes)
    }

    private static func background(_ sample: inout Sample, body: String, priority: String? = "5") {
        sample.set("apns-push-type", "background")
        sample.set("apns-priority", priority)
        sample.body = body
    }

    private static func activity(_ sample: inout Sample, body: String) {
        sample.set("apns-push-type", "liveactivity")
        sample.set("apns-topic", "com.example.news.push-type.liveactivity")
        sample.body = body
    }

    /// Returns the payload of a start, but for one member.
    private static func start(without name: String = "") -> String {
        let members = [
            ("event", #""start""#), ("timestamp", "1790000000"), ("content-state", "{}"), ("alert", #"{"title":"x"}"#),
            ("attributes-type", #""Match""#), ("attributes", "{}"),
        ]
        let kept = members.filter { $0.0 != name }.map { "\"\($0.0)\":\($0.1)" }
        return #"{"aps":{\#(kept.joined(separator: ","))}}"#
    }

    private static func widget(_ sample: inout Sample, body: String) {
        sample.set("apns-push-type", "widgets")
        sample.set("apns-topic", "com.example.news.push-type.widgets")
        sample.body = body
    }
}
