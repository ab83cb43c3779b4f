import AMQP
import Campaigns
import Delivery
import PushProviders
import Store
import TLS
import Testing

@testable import Fleet
@testable import Operations
@testable import Settings

/// Pushes that only Apple supports, from an app that has browsers too.
struct AppleAloneTests {
    private let folder: ScratchFolder
    private let apps: AppDirectory
    private let ledger: Ledger

    init() async throws {
        folder = try ScratchFolder()
        let key = try ES256.generateKey().privateKeyPEM
        try folder.write("ONE.p8", key)
        let point = try ES256.SigningKey(pem: key, source: "test").publicKey()
        let publicKey = String(decoding: Base64URL.encode(point), as: UTF8.self)
        let text = """
            apps:
              news:
                apns: {topic: com.example.news, team_id: ABCDE12345, key_id: ABC1234567, key_file: ONE.p8}
                webpush: {subject: "mailto:push@example.com", public_key: \(publicKey), private_key_file: ONE.p8}

            """
        apps = try AppDirectory(try AppsFile.read(path: try folder.write("apps.yaml", text)))
        ledger = try Ledger.open(path: folder.path + "/ledger.db", create: true)
        let seen = ledger.now()
        let accounts = apps.reported
        _ = try await ledger.write {
            try $0.registerWorker(name: "test", roles: ["intake", "planner"], accounts: accounts, now: seen)
        }
        let phone = DeviceRegistration(device: Device(token: String(repeating: "0a", count: 32), id: "ana-iphone"))
        _ = try await Registry.register([phone], app: "news", in: ledger)
    }

    private func publish(_ audience: String) async throws -> Intake.Verdict {
        let job = """
            {"id": "call", "app": "news", "audience": \(audience), "content": {"data": {"room": "7"}},
             "delivery": {"push_type": "voip", "ttl": 60}}
            """
        let message = InboundMessage(
            queue: "",
            deliveryTag: 1,
            redelivered: false,
            exchange: "",
            routingKey: "news",
            properties: MessageProperties(contentType: "application/json", messageID: "call"),
            body: Array(job.utf8)
        )
        // A worker counts for only some seconds, and other tests may have delayed this one.
        let (seen, accounts) = (ledger.now(), apps.reported)
        try await ledger.write { try $0.reportWorker(1, accounts: accounts, now: seen) }
        return try await Intake(ledger: ledger, apps: apps, worker: 1).handle(message)
    }

    @Test(arguments: [#"{"everyone": true}"#, #"{"segment": "sport"}"#, #"{"users": ["ana"]}"#])
    func `an audience that may have browsers is refused, with the audience that would do`(audience: String) async throws
    {
        guard case .refused(let facts) = try await publish(audience) else {
            Issue.record("taken")
            return
        }
        #expect(facts.errors.map(\.pointer) == ["/delivery/push_type"])
        #expect(facts.errors.first?.fix?.contains("provider") == true)
    }

    @Test(arguments: [
        #"{"segment": "provider == apns"}"#, #"{"segment": "sport && provider == apns"}"#,
        #"{"users": ["ana"], "exclude": {"segment": "provider != apns"}}"#,
        #"{"everyone": true, "exclude": {"segment": "provider != apns"}}"#,
    ])
    func `an audience that says that it means Apple's devices is taken`(audience: String) async throws {
        guard case .accepted = try await publish(audience) else {
            Issue.record("refused")
            return
        }
        let number = try #require(try await ledger.read { try $0.campaignNumber(app: "news", id: "call") })
        let facts = try await ledger.read { try $0.campaign(number) }
        #expect(facts?.stage == .planning || facts?.stage == .scheduled)
    }
}
