import Campaigns
import PushProviders
import Testing

/// A broadcast's request, and the jobs that can be one.
struct BroadcastTests {
    private static let channel = "dHN0LXNyY2gtY2hubA=="

    private func account() throws -> any ProviderAccount { try ProviderSpecimen.broadcast.account() }

    private func facts(_ job: Job, environment: PushEnvironment? = nil) -> Shard.Facts {
        var facts = ProviderSpecimen.broadcast.facts(job, carriesMessageID: true)
        facts.environment = environment
        return facts
    }

    @Test func `the request has Apple's fields, the channel among them and no topic`() throws {
        let job = ProviderSpecimen.broadcast.job { $0.delivery.priority = .normal }
        let requests = try account().requests(for: facts(job), authorization: Array("bearer x".utf8), now: Fixtures.now)
        let id = RequestID.text(campaign: CampaignHash(app: "news", id: "derby-2026"), device: 0)
        #expect(
            Fixtures.lines(requests) == [
                ":method: POST", ":scheme: https", ":authority: api.push.apple.com", ":path: <path>",
                "apns-push-type: liveactivity", "apns-priority: 5", "apns-expiration: 1795205100",
                "apns-request-id: \(id)", "apns-channel-id: <token>", "authorization: bearer x",
            ]
        )
        #expect(requests.path == Array("/4/broadcasts/apps/com.example.news".utf8))
        #expect(String(decoding: requests.body, as: UTF8.self).contains(#""event":"update""#))
        #expect(requests.isAccepted(status: 200) && requests.tokenIsField && requests.idRange.isEmpty)
    }

    @Test func `the channel's id stands behind path and body, as it is`() throws {
        let requests = try account().requests(
            for: facts(ProviderSpecimen.broadcast.job()),
            authorization: nil,
            now: Fixtures.now
        )
        let token = ChannelIDs.bytes(Self.channel)
        let written = ProviderConformanceTests.written(requests, token, 0)
        #expect(written == requests.template + token && requests.template == requests.path + requests.body)
    }

    @Test func `where Apple stores nothing the request expires at once`() throws {
        let channel = BroadcastChannel(
            app: "news",
            name: "derby-21",
            id: Self.channel,
            environment: .sandbox,
            storage: .nothing,
            createdAt: Fixtures.now
        )
        let job = ProviderSpecimen.broadcast.job().addressed(to: channel)
        let requests = try account().requests(
            for: facts(job, environment: .sandbox),
            authorization: nil,
            now: Fixtures.now
        )
        let lines = Fixtures.lines(requests)
        #expect(lines.contains("apns-expiration: 0") && lines.contains(":authority: api.sandbox.push.apple.com"))
    }

    @Test func `a topic with the suffix of a Live Activity is the bundle id without it`() throws {
        let account = try ProviderSpecimen.broadcast.account(["topic": "com.example.news.push-type.liveactivity"])
        let requests = account.requests(
            for: facts(ProviderSpecimen.broadcast.job()),
            authorization: nil,
            now: Fixtures.now
        )
        #expect(requests.path == Array("/4/broadcasts/apps/com.example.news".utf8))
    }

    @Test func `the right to broadcast comes with a key of Apple's, and with no certificate`() throws {
        let key = try ProviderSpecimen.apns.account()
        #expect(key.companions.map(\.provider.name) == [.broadcast] && key.channels == nil)
        #expect(key.companions.first?.credential == key.credential)
        let certificate = try APNsProvider().account(
            ["topic": "com.example.news", "certificate_file": "news.pem", "private_key_file": "news.key"]
        ) { _ in nil }
        #expect(certificate.companions.isEmpty)
        #expect(!ProviderRegistry.ofBlocks.map(\.name).contains(.broadcast))
    }

    @Test(arguments: Refused.all)
    func `what cannot be a broadcast is refused with its place and a remedy`(refused: Refused) {
        let job = ProviderSpecimen.broadcast.job(refused.change)
        let problems = BroadcastProvider().check(job, carriesMessageID: true).problems
        #expect(problems.map(\.pointer).contains(refused.pointer), "\(problems)")
        #expect(problems.allSatisfy { $0.fix != nil })
    }

    /// A change that makes a good job one that cannot be a broadcast.
    struct Refused: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let pointer: String
        let change: @Sendable (inout Job) -> Void

        static let all = [
            Refused(testDescription: "an alert", pointer: "/delivery/push_type") {
                $0.delivery.pushType = .alert
                $0.content.liveActivity = nil
            },
            Refused(testDescription: "a start", pointer: "/content/live_activity/event") {
                $0.content.liveActivity?.event = "start"
            },
            Refused(testDescription: "a start in the raw fields", pointer: "/content/apns/aps/event") {
                $0.content.apns = ["aps": ["event": "start"]]
            },
            Refused(testDescription: "a template", pointer: "/content/title") { $0.content.title = "Hi {{ first }}" },
            Refused(testDescription: "languages", pointer: "/content/localizations") {
                $0.content.localizations = [Localization(locale: "es", content: Content())]
            },
            Refused(testDescription: "5,121 bytes", pointer: "/content") {
                $0.content.body = String(repeating: "x", count: 5_121)
            },
        ]
    }

    @Test func `a broadcast may have more bytes than a push to a device`() {
        let job = ProviderSpecimen.broadcast.job { $0.content.body = String(repeating: "x", count: 4_500) }
        #expect(BroadcastProvider().check(job, carriesMessageID: false).problems.isEmpty)
        #expect(!APNsProvider().check(job, carriesMessageID: false).problems.isEmpty)
    }

    @Test(arguments: ["", "====", "a", "abc", "dHN0-XNyY2gtY2hubA==", "dHN0LXNyY2gt\n===", "a=bc"])
    func `what is no Base64 with padding is no id of a channel`(text: String) {
        #expect(BroadcastProvider().tokens.token(text) == nil)
    }
}

/// The bytes of ids as chunks hold them.
private enum ChannelIDs {
    static func bytes(_ id: String) -> [UInt8] { BroadcastProvider().tokens.bytes(of: id) }
}
