import AMQP
import Campaigns
import Delivery
import Store
import TLS
import Testing

@testable import Fleet
@testable import Settings

/// A job whose devices differ so much that their chunks exceed one transaction.
struct ManyChunksTests {
    private let folder: ScratchFolder
    private let apps: AppDirectory
    private let ledger: Ledger

    init() async throws {
        folder = try ScratchFolder()
        try folder.write("ONE.p8", ES256.generateKey().privateKeyPEM)
        let account = "topic: com.example.news, team_id: ABCDE12345, key_id: ABC1234567, key_file: ONE.p8"
        let file = try folder.write("apps.yaml", "apps:\n  news:\n    apns: {\(account)}\n")
        apps = try AppDirectory(try AppsFile.read(path: file))
        ledger = try Ledger.open(path: folder.path + "/ledger.db", create: true)
        let seen = ledger.now()
        _ = try await ledger.write {
            let accounts = AppAccounts(["news": [.apns]])
            return try $0.registerWorker(name: "test", roles: ["intake", "planner"], accounts: accounts, now: seen)
        }
    }

    /// Returns a language that no other number gives.
    private static func language(_ number: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        return String([letters[number / 676 % 26], letters[number / 26 % 26], letters[number % 26]])
    }

    /// Returns a job with so many devices, each in its own language and so in its own chunk, and the first of them
    /// twice.
    private func message(_ devices: Int, urgency: String) -> InboundMessage {
        let hex = Array("0123456789abcdef")
        let texts = (0...devices).map { position in
            let number = position % devices
            let digits = String((0..<4).reversed().map { hex[number >> ($0 * 4) & 15] })
            let token = String(repeating: "0123456789abcdef", count: 3) + "abcdef012345" + digits
            return #"{"token": "\#(token)", "locale": "\#(Self.language(number))"}"#
        }
        let job = """
            {"id": "derby", "app": "news", "audience": {"devices": [\(texts.joined(separator: ","))]},
             "content": {"title": "Goal"}, "delivery": {"urgency": "\(urgency)"}}
            """
        return InboundMessage(
            queue: "",
            deliveryTag: 1,
            redelivered: false,
            exchange: "",
            routingKey: "news",
            properties: MessageProperties(contentType: "application/json", messageID: "derby"),
            body: Array(job.utf8)
        )
    }

    private func handle(_ message: InboundMessage) async throws -> Intake.Verdict {
        // A worker counts for only some seconds, and other tests may have delayed this one.
        let seen = ledger.now()
        try await ledger.write { try $0.reportWorker(1, accounts: AppAccounts(["news": [.apns]]), now: seen) }
        return try await Intake(ledger: ledger, apps: apps, worker: 1, sends: true).handle(message)
    }

    /// Cuts all shards.
    private func plan(_ number: UInt32) async throws -> Int {
        let now = ledger.now()
        let leased = try await ledger.write { try $0.leaseCampaigns(worker: 1, apps: ["news"], now: now) }
        let lease = try #require(leased.first { $0.facts.number == number })
        var count = 0
        while true {
            let result = try await ledger.write {
                try $0.plan(lease.token, shardsMax: 90, now: now)
            }
            guard case .planned(let shards) = result, !shards.isEmpty else { return count }
            count += shards.count
        }
    }

    @Test(arguments: [(100, "bulk"), (101, "bulk"), (301, "bulk"), (700, "bulk"), (301, "urgent")])
    func `its chunks are written in pieces, no device is lost on the way, and the law holds to its end`(
        devices: Int,
        urgency: String
    ) async throws {
        let message = message(devices, urgency: urgency)
        // A job of many chunks takes no fast path, however urgent it is.
        guard case .accepted = try await handle(message) else { throw LedgerError.failed("not accepted") }
        let number = try #require(try await ledger.read { try $0.campaignNumber(app: "news", id: "derby") })
        func status() async throws -> CampaignStatus {
            let now = ledger.now()
            return try #require(try await ledger.read { try $0.status(campaign: number, now: now) })
        }
        let accepted = try await status()
        #expect(accepted.audience == devices + 1 && accepted.counts.skipped == 1 && accepted.law == .holds)
        #expect(accepted.pending.unplanned == devices)
        // It is known, and nothing is written again.
        guard case .accepted = try await handle(message) else { throw LedgerError.failed("not known") }
        #expect(try await plan(number) == devices)
        let planned = try await status()
        #expect(planned.pending.unplanned == 0 && planned.pending.queued == devices && planned.law == .holds)
        _ = try await ledger.write(.synced) { [ledger] in try $0.cancel(campaign: number, now: ledger.now()) }
        while try await ledger.write(.synced, { [ledger] in try $0.endCampaign(number, now: ledger.now()) }) {}
        let ended = try await status()
        #expect(ended.counts.cancelled == devices && ended.pending.total == 0 && ended.law == .holds)
    }
}
