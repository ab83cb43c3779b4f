import Campaigns
import Delivery
import Foundation
import Servers
import Store
import Testing

extension EndToEnd {
    /// Events posted to another party's server.
    @Suite("Webhooks")
    struct Webhooks {
        private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

        /// Gives the fleet's app a webhook at the receiver, which the configuration allows.
        private func hook(_ fleet: PrivateFleet, _ receiver: WebhookReceiver, events: String) throws {
            try Data(Self.secret.utf8).write(to: URL(filePath: fleet.folder + "/hook.secret"))
            let apps = URL(filePath: fleet.folder + "/apps.yaml")
            let entry = """
                  news:
                    webhooks:
                      - url: http://127.0.0.1:\(receiver.port)/in
                        secret_file: hook.secret
                        events: [\(events)]

                """
            let text = try String(contentsOf: apps, encoding: .utf8)
            try Data(text.replacing("  news:\n", with: entry, maxReplacements: 1).utf8).write(to: apps)
            let file = URL(filePath: fleet.folder + "/fanfare.yaml")
            let configuration = try String(contentsOf: file, encoding: .utf8)
            let hosts = "events:\n  webhook_hosts: [\"127.0.0.1:\(receiver.port)\"]\n"
            try Data((configuration + hosts).utf8).write(to: file)
        }

        private func types(_ requests: [WebhookReceiver.Request]) -> [String] {
            requests.compactMap { JSONReader.read(Array($0.body.utf8)).value?["type"]?.string }
        }

        @Test func `a campaign is told from its acceptance to its end, signed, and status says how the webhook is`()
            async throws
        {
            let receiver = try await WebhookReceiver(secret: Self.secret)
            try await PrivateFleet.with(faults: ["rules": "dead=dead"]) { fleet in
                try hook(
                    fleet,
                    receiver,
                    events: "campaign.accepted, campaign.started, campaign.completed, shard.settled, device.invalid"
                )
                _ = try await fleet.startWorker()
                try await fleet.publish(
                    TestJob("derby", TestDevices.tokens(20) + TestDevices.tokens(5, prefix: "dead"))
                )
                _ = try await fleet.completed("derby")
                let requests = try await receiver.requests(5)
                #expect(types(requests).first == "campaign.accepted" && types(requests).last == "campaign.completed")
                #expect(Set(types(requests)).count == 5 && requests.allSatisfy(\.isSigned))
                let dead = requests.first { $0.body.contains("device.invalid") }
                    .flatMap { JSONReader.read(Array($0.body.utf8)).value?["data"]?["devices"]?.array }
                #expect(dead?.count == 5)

                // It wants no more events: a person is asked for, and has it tried again.
                try receiver.answer(["410"])
                try await fleet.publish(TestJob("final", TestDevices.tokens(3)))
                _ = try await fleet.completed("final")
                try await eventually("the webhook is given up") {
                    try await fleet.ledger.read { try $0.webhooks() }.first?.state.disabledAt != nil
                }
                let status = try await fleet.run("status")
                #expect(status.exit == 1 && status.output.contains("was given up (status 410)"), "\(status.output)")
                let book = Runbook(fleet: fleet)
                #expect(try await book.check("WebhookOut").contains("410"))
                let list = try await fleet.run("webhook", "list", "--json")
                let entry = try #require(JSONReader.read(Array(list.output.utf8)).value?.array?.first)
                #expect(entry["state"]?.string == "disabled" && (entry["waiting"]?.integer ?? 0) >= 1)
                #expect(!list.output.contains("/in"))
                let id = try #require(entry["id"]?.integer)
                try await book.remedy("WebhookOut", id: "\(id)")
                let all = try await eventually("all of the second campaign") {
                    let requests = receiver.requests
                    return types(requests).last == "campaign.completed" && requests.count > 8 ? requests : nil
                }
                // Nothing was lost during the outage: four events, the first of them twice.
                #expect(types(Array(all.dropFirst(5))).count == 5 && all[5].id == all[6].id)
                #expect(try await fleet.run("webhook", "resume", "99").exit == 1)
            }
            receiver.stop()
        }

        @Test func `a worker that is killed while a receiver hangs loses no event, and the order stays`() async throws {
            let receiver = try await WebhookReceiver(secret: Self.secret)
            try receiver.answer(["204", "hang"])
            try await PrivateFleet.with { fleet in
                try hook(fleet, receiver, events: "campaign.accepted, campaign.started, campaign.completed")
                let first = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", TestDevices.tokens(20)))
                _ = try await receiver.requests(2)
                // The campaign waits for nobody.
                _ = try await fleet.completed("derby")
                first.kill()
                _ = try await fleet.startWorker()
                // The answer may have been received and not recorded, so the delivered events do not show the end.
                try await eventually("nothing waits") {
                    try await fleet.ledger.read { try $0.webhooks() }.first?.waiting == 0
                }
                let told = types(receiver.requests)
                let order = ["campaign.accepted", "campaign.started", "campaign.completed"]
                #expect(Set(told) == Set(order))
                // At least once: a delivered but unrecorded event may come again, but none comes out of order.
                let repeated = told.dropFirst(2).compactMap { order.firstIndex(of: $0) }
                #expect(repeated == repeated.sorted() && repeated.last == 2, "\(told)")
            }
            receiver.stop()
        }
    }
}
