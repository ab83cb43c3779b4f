import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Events per shard for an app that asks for them.
    @Suite("Events of shards")
    struct ShardEvents {
        private static let outcomes = Outcome.allCases.map(\.name)

        private func ask(_ fleet: PrivateFleet, _ events: String) throws {
            let file = URL(fileURLWithPath: fleet.folder + "/apps.yaml")
            let text = try String(contentsOf: file, encoding: .utf8)
            let asked = text.replacing("  news:\n", with: "  news:\n    events: [\(events)]\n", maxReplacements: 1)
            try Data(asked.utf8).write(to: file)
        }

        @Test func `shard.settled adds up to the campaign, and device.invalid names each dead token once`() async throws
        {
            let faults = ["rules": "dead=dead,cGone=dead,5030=once-503"]
            try await PrivateFleet.with(faults: faults, fcm: FCMAccess()) { fleet in
                try ask(fleet, "shard.settled, device.invalid")
                _ = try await fleet.startWorker()
                let listener = try await EventListener(fleet)
                let apple = TestDevices.tokens(1200) + TestDevices.tokens(30, prefix: "dead")
                let dead = apple.suffix(30) + TestDevices.fcm(20, prefix: "cGone")
                let google = TestDevices.fcm(700) + dead.suffix(20)
                try await fleet.publish(
                    TestJob("derby", apple + TestDevices.tokens(40, prefix: "5030"), fcm: google)
                )
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 1940 && status.counts.invalid == 50)
                _ = try await listener.events("campaign.completed", of: "derby")
                // Chunks of each provider, and retries: the outbox is ordered, so all have come.
                let settled = try await listener.events("shard.settled", of: "derby", count: 5).compactMap {
                    $0.json["data"]
                }
                func sum(_ name: String) -> Int { settled.reduce(0) { $0 + Int($1[name]?.integer ?? 0) } }
                #expect(sum("accepted") == 1940 && sum("invalid") == 50 && sum("retrying") == 40)
                #expect(sum("devices") == 1990 + 40 && sum("requests") == status.attempts)
                for shard in settled {
                    let ended = Self.outcomes.reduce(0) { $0 + (shard[$1]?.integer ?? 0) }
                    let left = (shard["retrying"]?.integer ?? 0) + (shard["held"]?.integer ?? 0)
                    #expect(shard["devices"]?.integer == ended + left)
                }
                let invalid = try await listener.events("device.invalid", of: "derby").compactMap { $0.json["data"] }
                let devices = invalid.flatMap { $0["devices"]?.array ?? [] }
                #expect(devices.compactMap { $0["token"]?.string }.sorted() == dead.sorted())
                #expect(devices.allSatisfy { $0["reason"]?.string?.lowercased() == "unregistered" })
                #expect(devices.allSatisfy { $0["since"]?.string != nil })
                // They are known now and not reported again.
                try await fleet.publish(TestJob("again", apple))
                _ = try await fleet.completed("again")
                _ = try await listener.events("campaign.completed", of: "again")
                let again = try await listener.events("device.invalid", of: "again", count: 0)
                #expect(again.isEmpty)
                await listener.close()
            }
        }

        @Test func `an app that asks for nothing is told of campaigns only`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let listener = try await EventListener(fleet)
                try await fleet.publish(TestJob("derby", TestDevices.tokens(20, prefix: "dead")))
                _ = try await fleet.completed("derby")
                _ = try await listener.events("campaign.completed", of: "derby")
                #expect(try await listener.events("shard.settled", of: "derby", count: 0).isEmpty)
                #expect(try await listener.events("device.invalid", of: "derby", count: 0).isEmpty)
                await listener.close()
            }
        }
    }
}
