import AMQP
import Campaigns
import Delivery
import Store
import TLS
import Testing

@testable import Fleet
@testable import Settings

/// Intake of jobs to a channel, for an app that has a key of Apple's.
struct ChannelIntakeTests {
    private let folder: ScratchFolder
    private let apps: AppDirectory
    private let ledger: Ledger

    init() async throws {
        folder = try ScratchFolder()
        try folder.write("ONE.p8", try ES256.generateKey().privateKeyPEM)
        let text = """
            apps:
              news:
                apns: {topic: com.example.news, team_id: ABCDE12345, key_id: ABC1234567, key_file: ONE.p8}

            """
        apps = try AppDirectory(try AppsFile.read(path: try folder.write("apps.yaml", text)))
        ledger = try Ledger.open(path: folder.path + "/ledger.db", create: true)
        let (seen, accounts) = (ledger.now(), apps.reported)
        _ = try await ledger.write {
            try $0.registerWorker(name: "test", roles: ["intake", "planner"], accounts: accounts, now: seen)
        }
    }

    private func publish(
        _ delivery: String = #"{"push_type": "liveactivity", "ttl": 60}"#,
        content: String = #"{"live_activity": {"event": "update", "timestamp": 1795204500, "content_state": {}}}"#
    ) async throws -> Intake.Verdict {
        let job = """
            {"id": "goal", "app": "news", "audience": {"channel": "derby-21"}, "delivery": \(delivery),
             "content": \(content)}
            """
        let message = InboundMessage(
            queue: "",
            deliveryTag: 1,
            redelivered: false,
            exchange: "",
            routingKey: "news",
            properties: MessageProperties(contentType: "application/json", messageID: "goal"),
            body: Array(job.utf8)
        )
        // A worker counts for only some seconds, and other tests may have delayed this one.
        let (seen, accounts) = (ledger.now(), apps.reported)
        try await ledger.write { try $0.reportWorker(1, accounts: accounts, now: seen) }
        return try await Intake(ledger: ledger, apps: apps, worker: 1).handle(message)
    }

    private func make(_ storage: BroadcastChannel.Storage) async throws {
        let channel = BroadcastChannel(
            app: "news",
            name: "derby-21",
            id: "dHN0LXNyY2gtY2hubA==",
            environment: .sandbox,
            storage: storage,
            createdAt: ledger.now()
        )
        _ = try await ledger.write(.synced) { try $0.addChannel(channel) }
    }

    @Test func `a channel that nobody has made is refused`() async throws {
        guard case .refused(let facts) = try await publish() else {
            Issue.record("taken")
            return
        }
        #expect(facts.errors.map(\.code) == ["unknown_channel"])
    }

    @Test(arguments: BroadcastChannel.Storage.allCases)
    func `a job to a channel has one device, the channel, in a lane of broadcasts`(
        storage: BroadcastChannel.Storage
    ) async throws {
        try await make(storage)
        guard case .accepted = try await publish() else {
            Issue.record("refused")
            return
        }
        let now = ledger.now()
        let status = try #require(try await ledger.read { try $0.status(app: "news", id: "goal", now: now) })
        #expect(status.audience == 1 && status.lane.provider == .broadcast && status.law == .holds)
    }

    @Test func `an alert to a channel is refused`() async throws {
        try await make(.nothing)
        guard case .refused(let facts) = try await publish("{}", content: #"{"title": "Goal!"}"#) else {
            Issue.record("taken")
            return
        }
        #expect(facts.errors.contains { $0.pointer == "/delivery/push_type" })
    }
}
