import HTTP2
import Testing

@testable import Simulator

/// Apple's rules for broadcasts and channels.
@Suite struct BroadcastRulesTests {
    fileprivate static let bundle = "com.example.news"

    /// A book with one channel of each policy.
    fileprivate struct World {
        var sample = Sample()
        let channels: SimulatedChannels
        let quiet: String
        let storing: String

        init(most: Int = 10) throws {
            channels = SimulatedChannels(seed: 7, most: most)
            quiet = try #require(channels.make(.nothing, bundle: bundle))
            storing = try #require(channels.make(.mostRecent, bundle: bundle))
            sample.path = "/4/broadcasts/apps/\(bundle)"
            sample.headers = [
                ("apns-channel-id", storing), ("apns-push-type", "liveactivity"), ("apns-priority", "10"),
                ("apns-expiration", "1790003600"), ("apns-request-id", "0f8fad5b-d9cb-469f-a165-70867728950e"),
            ]
            sample.body = #"{"aps":{"event":"update","timestamp":1790000000,"content-state":{"home":1}}}"#
        }

        func verdict() throws -> BroadcastRules.Verdict {
            let rules = BroadcastRules(
                rules: try APNsRules(tokens: ProviderTokens(access: sample.access)),
                channels: channels
            )
            var connection = APNsConnectionFacts(certificateName: sample.certificate)
            let place = try #require(BroadcastRules.Place(sample.path))
            return rules.verdict(on: sample.request(), at: place, connection: &connection, now: Sample.now)
        }

        func reason() throws -> APNsReason? {
            guard case .refused(let reason, _) = try verdict() else { return nil }
            return reason
        }

        mutating func manage(_ method: String, channel: String? = nil, body: String = "", last: String = "channels") {
            sample.method = method
            sample.path = "/1/apps/\(bundle)/\(last)"
            sample.headers = channel.map { [("apns-channel-id", $0)] } ?? []
            sample.body = body
        }
    }

    /// A change to a good broadcast, and Apple's reason for refusing the result.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: APNsReason?
        fileprivate let change: @Sendable (inout World) -> Void

        fileprivate init(_ what: String, _ reason: APNsReason?, _ change: @escaping @Sendable (inout World) -> Void) {
            (testDescription, self.reason, self.change) = (what, reason, change)
        }

        static let all = [
            Case("as it is", nil) { _ in },
            Case("GET", .methodNotAllowed) { $0.sample.method = "GET" },
            Case("no channel", .missingChannelID) { $0.sample.set("apns-channel-id", nil) },
            Case("a channel that is no Base64", .badChannelID) { $0.sample.set("apns-channel-id", "derby-21") },
            Case("a channel that is too long", .badChannelID) {
                $0.sample.set("apns-channel-id", String(repeating: "a", count: 1_028))
            },
            Case("a channel that nobody made", .channelNotRegistered) {
                $0.sample.set("apns-channel-id", "dHN0LXNyY2gtY2hubA==")
            },
            Case("no push type", .missingPushType) { $0.sample.set("apns-push-type", nil) },
            Case("an alert", .invalidPushType) { $0.sample.set("apns-push-type", "alert") },
            Case("no expiration", .badExpirationDate) { $0.sample.set("apns-expiration", nil) },
            Case("an expiration in milliseconds", .badExpirationDate) {
                $0.sample.set("apns-expiration", "1790003600000")
            },
            Case("an end where nothing is stored", .badExpirationDate) {
                $0.sample.set("apns-channel-id", $0.quiet)
            },
            Case("expiration 0 where nothing is stored", nil) {
                $0.sample.set("apns-channel-id", $0.quiet)
                $0.sample.set("apns-expiration", "0")
            },
            Case("no priority", .badPriority) { $0.sample.set("apns-priority", nil) },
            Case("priority 7", .badPriority) { $0.sample.set("apns-priority", "7") },
            Case("priority 5", nil) { $0.sample.set("apns-priority", "5") },
            Case("a request id that is none", .badMessageID) { $0.sample.set("apns-request-id", "1") },
            Case("a header twice", .duplicateHeaders) { $0.sample.headers.append(("apns-priority", "5")) },
            Case("the topic's suffix in the path", .topicDisallowed) {
                $0.sample.path = "/4/broadcasts/apps/\(bundle).push-type.liveactivity"
            },
            Case("another app", .topicMismatch) { $0.sample.path = "/4/broadcasts/apps/com.example.other" },
            Case("an app that may not broadcast", .featureNotEnabled) {
                $0.sample.access.topicsWithoutBroadcast = [bundle]
            },
            Case("no credential", .missingProviderToken) { $0.sample.authorization = "" },
            Case("no body", .payloadEmpty) { $0.sample.body = "" },
            Case("no aps", .payloadEmpty) { $0.sample.body = #"{"match":7}"# },
            Case("no event", .invalidPushType) { $0.sample.body = #"{"aps":{"alert":"x"}}"# },
            Case("5,120 bytes", nil) { $0.sample.body = padded(5_120) },
            Case("5,121 bytes", .payloadTooLarge) { $0.sample.body = padded(5_121) },
        ]

        private static func padded(_ count: Int) -> String {
            let start = #"{"aps":{"event":"update","timestamp":1,"content-state":{}},"x":""#
            return start + String(repeating: "x", count: count - start.utf8.count - 2) + "\"}"
        }
    }

    @Test(arguments: Case.all)
    func `one change to a good broadcast gives Apple's reason`(_ rule: Case) throws {
        var world = try World()
        rule.change(&world)
        #expect(try world.reason() == rule.reason)
    }

    @Test(arguments: [
        "/4/broadcasts/apps", "/4/broadcasts/apps/", "/4/broadcasts/com.example.news", "/1/apps/com.example.news",
        "/1/apps//channels", "/1/apps/com.example.news/channels/x", "/3/device/0a",
    ])
    func `another path is no place of broadcasts`(path: String) {
        #expect(BroadcastRules.Place(path) == nil)
    }

    @Test func `a channel is made, read, listed and deleted, once`() throws {
        var world = try World()
        world.manage("POST", body: #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
        guard case .answered(let made) = try world.verdict() else { return #expect(Bool(false), "not made") }
        let id = try #require(made.fields.first.map { String(decoding: $0.value, as: UTF8.self) })
        #expect(made.status == 201 && id.hasSuffix("==") && world.channels.count == 3)
        world.manage("GET", channel: id)
        guard case .answered(let read) = try world.verdict() else { return #expect(Bool(false), "not read") }
        #expect(read.body == Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8))
        world.manage("GET", last: "all-channels")
        guard case .answered(let all) = try world.verdict() else { return #expect(Bool(false), "not listed") }
        #expect(String(decoding: all.body, as: UTF8.self).contains(id))
        world.manage("DELETE", channel: id)
        guard case .answered(let gone) = try world.verdict() else { return #expect(Bool(false), "not deleted") }
        #expect(gone.status == 204 && gone.body.isEmpty && world.channels.count == 2)
        #expect(try world.reason() == .channelNotRegistered)
    }

    @Test(arguments: [
        ("", APNsReason.badRequestPayload), ("[]", .badRequestPayload), ("{", .badRequestPayload),
        (#"{"message-storage-policy":1}"#, .missingPushType),
        (#"{"message-storage-policy":1,"push-type":"liveactivity"}"#, .invalidPushType),
        (#"{"push-type":"LiveActivity"}"#, .badRequestParams),
        (#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#, .badRequestParams),
        (#"{"message-storage-policy":1,"push-type":"LiveActivity","name":"derby"}"#, .badRequestParams),
    ])
    func `a channel that Apple would not make has Apple's reason`(body: String, reason: APNsReason) throws {
        var world = try World()
        world.manage("POST", body: body)
        #expect(try world.reason() == reason && world.channels.count == 2)
    }

    @Test func `an app has no more channels than Apple keeps`() throws {
        var world = try World(most: 2)
        world.manage("POST", body: #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#)
        #expect(try world.reason() == .cannotCreateChannelConfig)
    }
}
