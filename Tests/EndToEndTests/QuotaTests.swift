import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// The per-minute quota of a project, which only FCM has.
    ///
    /// The ledger's `QuotaTests` show that no minute exceeds it and that nearly all of it is used after the ramp (three
    /// minutes of its clock). Here real workers begin with a tenth.
    @Suite("Quotas")
    struct Quotas {
        private func limit(_ fleet: PrivateFleet, perMinute: Int) throws {
            let file = URL(fileURLWithPath: fleet.folder + "/apps.yaml")
            let text = try String(contentsOf: file, encoding: .utf8)
            let limited = text.replacingOccurrences(
                of: "    fcm:\n",
                with: "    fcm:\n      per_minute: \(perMinute)\n"
            )
            try #require(limited != text)
            try Data(limited.utf8).write(to: file)
        }

        private func accepted(_ fleet: PrivateFleet, _ side: SimulatedProvider) -> Int {
            Int(fleet.simulator.statistics(of: side)?.accepted ?? 0)
        }

        @Test func `two workers begin with a tenth of it, also when one dies, and hold back nothing else`() async throws
        {
            // Once more than a worker that did not keep it would send at the beginning: nobody may be told so.
            try await PrivateFleet.with(faults: ["project_quota": "200"], fcm: FCMAccess()) { fleet in
                // 98 a second, 9.8 at first.
                try limit(fleet, perMinute: 6000)
                let first = try await fleet.startWorker()
                _ = try await fleet.startWorker()
                let job = TestJob("derby", TestDevices.tokens(900), fcm: TestDevices.fcm(150))
                try await fleet.publish(job)
                try await eventually("all of Apple's devices have it") { accepted(fleet, .apns) == 900 }
                #expect(accepted(fleet, .fcm) < 75)
                try await eventually("some of Google's have it") { accepted(fleet, .fcm) >= 30 }
                first.kill()
                // An urgent device does not wait behind them.
                var goal = TestJob("goal", [], fcm: TestDevices.fcm(1, prefix: "cOne")).delivered(["urgency": "urgent"])
                goal.isUrgent = true
                try await fleet.publish(goal)
                let urgent = try await fleet.completed("goal")
                #expect(urgent.counts.accepted == 1 && accepted(fleet, .fcm) < 140)
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 1050 && status.law == .holds)
                let from = try #require(status.startedAt)
                let to = try #require(status.completedAt)
                // 59 in the first six seconds, and all after twelve.
                #expect(to.since(from) >= .seconds(10), "it took \(to.since(from))")
                let google = try #require(fleet.simulator.statistics(of: .fcm))
                #expect((google.statuses[429] ?? 0) == 0)
            }
        }
    }
}
