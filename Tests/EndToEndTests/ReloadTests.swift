import Campaigns
import Foundation
import Glibc
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// SIGHUP and the configuration file.
    @Suite("Reload")
    struct Reload {
        @Test func `SIGHUP takes hot settings in mid-campaign, names what needs a restart, and keeps all at a mistake`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "10", "streams": "50"]) { fleet in
                let file = URL(fileURLWithPath: fleet.folder + "/fanfare.yaml")
                let before = try Data(contentsOf: file)
                let worker = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(10_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 1000)

                let hot = "worker:\n  unflushed: 40\n  drain: 3s\n  roles: sender\nlog:\n  level: debug\n"
                try (before + Data(hot.utf8)).write(to: file)
                worker.signal(SIGHUP)
                try await says(worker, "no known app has changed", times: 1)
                for change in ["worker.unflushed", "worker.drain", "log.level"] {
                    #expect(lines(worker, "a setting is replaced").count { $0.contains("\"key\":\"\(change)\"") } == 1)
                }
                #expect(lines(worker, "only a restart takes").allSatisfy { $0.contains("worker.roles") })
                #expect(lines(worker, "only a restart takes").count == 1)

                try (before + Data("worker:\n  unflushed: many\n  drain: 9s\n".utf8)).write(to: file)
                worker.signal(SIGHUP)
                try await says(worker, "the configuration cannot be taken over", times: 1)
                try await says(worker, "no known app has changed", times: 2)
                #expect(lines(worker, "cannot be taken over").allSatisfy { $0.contains("worker.unflushed") })
                #expect(lines(worker, "a setting is replaced").count == 3)

                // With few unflushed answers it goes on more slowly, and then at full speed again.
                let seen = fleet.simulator.statistics.requests
                try await fleet.requests(reach: Int(seen) + 200)
                try before.write(to: file)
                worker.signal(SIGHUP)
                try await says(worker, "a setting is replaced", times: 6)
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 10_000)
                #expect(fleet.simulator.statistics.requests == 10_000)
            }
        }

        private func lines(_ worker: FanfareProcess, _ text: String) -> [Substring] {
            worker.errors.split(separator: "\n").filter { $0.contains(text) }
        }

        private func says(_ worker: FanfareProcess, _ text: String, times: Int) async throws {
            try await eventually("the worker says \(text) \(times) times") { lines(worker, text).count >= times }
        }
    }
}
