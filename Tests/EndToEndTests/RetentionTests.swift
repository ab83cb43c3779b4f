import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Data that a fleet deletes while it works.
    @Suite("Retaining")
    struct Retaining {
        @Test func `workers purge what is over and old, and nothing of a live campaign`() async throws {
            try await PrivateFleet.with { fleet in
                try Self.keepForSeconds(fleet.folder)
                for _ in 1...2 { _ = try await fleet.startWorker() }
                try await fleet.putList("fans", TestDevices.tokens(1200))
                try await fleet.publish(TestJob("derby", list: "fans"))
                // The campaign may be deleted between two polls, so the simulator's count shows that it was sent.
                try await eventually("everybody got it") { fleet.simulator.statistics.requests == 1200 }
                try await eventually("it is forgotten") { try await fleet.status("derby") == nil }

                _ = try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                    try faults.set("rules", to: "c0de=InvalidProviderToken")
                }
                try await fleet.putList("others", TestDevices.tokens(700, prefix: "c0de"))
                try await fleet.publish(TestJob("waits", list: "others"))
                try await eventually("it waits") { try await fleet.status("waits")?.pausedBy.isEmpty == false }
                try await eventually("the list of the first is gone") {
                    try await fleet.ledger.read { try $0.lists(app: nil).map(\.name) } == ["others"]
                }
                try await eventually("rows of what is gone are gone") {
                    try await fleet.ledger.read { try $0.forgottenCampaign(after: 0) } == nil
                }
                let status = try #require(try await fleet.status("waits"))
                #expect(status.audience == 700 && status.pending.total == 700 && status.law == .holds)
                #expect(try await fleet.devices("waits").count == 700)
            }
        }

        private static func keepForSeconds(_ folder: String) throws {
            let path = URL(fileURLWithPath: folder + "/fanfare.yaml")
            let text = try String(contentsOf: path, encoding: .utf8)
            let url = "  url: sqlite:fanfare.db\n"
            // A list must live until a job has named it.
            let periods = "    campaigns: 1s\n    outcomes: 1s\n    parked: 1s\n    lists: 8s\n"
            try Data(text.replacing(url, with: url + "  retention:\n" + periods).utf8).write(to: path)
        }
    }
}
