import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Quiet hours of campaigns that end at the end of the calendar.
    @Suite("Quiet hours")
    struct QuietHoursCampaigns {
        /// Zones an hour or two apart, so that a minute of the hour is the same minute everywhere.
        private static let zones = [
            "Europe/Madrid", "America/New_York", "Asia/Tokyo", "Africa/Johannesburg", "America/Bogota", "Asia/Shanghai",
        ]
        /// The limit of a worker's peak resident memory, in bytes.
        ///
        /// One window for each day up to the year 9999 took it to 470 MB.
        private static let memoryMax = 200 << 20

        /// Returns a job with devices in each zone, and quiet hours that are half an hour away in all of them.
        private static func job(_ id: String) -> TestJob {
            var job = TestJob(id, [])
            job.audience = .object([
                "devices": .array(
                    zones.enumerated().flatMap { index, zone in
                        TestDevices.tokens(10, prefix: "\(index + 1)").map { token -> JSONValue in
                            .object(["token": .string(token), "time_zone": .string(zone)])
                        }
                    }
                )
            ])
            return job
        }

        private static func delivery(sendAt: Timestamp?) -> KeyValuePairs<String, JSONValue?> {
            let minute = Int(TestClock.now().seconds / 60 + 30) % 60
            let hours = [minute, minute + 1].map { QuietHours.text((12 * 60 + $0) % 1440) }
            return [
                "quiet_hours": .object(["from": .string(hours[0]), "to": .string(hours[1])]),
                "expires_at": "9999-12-31T00:00:00Z", "send_at": sendAt.map { .string($0.rfc3339) },
            ]
        }

        @Test(arguments: Ledger.hasPostgreSQL ? [false, true] : [false])
        func `a job with quiet hours in six zones until the year 9999 costs what its devices cost`(
            onPostgreSQL: Bool
        ) async throws {
            let server = onPostgreSQL ? try PrivatePostgreSQL.shared.get() : nil
            try await PrivateFleet.with(postgreSQL: server) { fleet in
                let worker = try await fleet.startWorker()
                try await fleet.publish(
                    TestJob("other", TestDevices.tokens(3000)).delivered(["per_second": 500])
                )
                try await eventually("the other campaign is sent") {
                    try await fleet.status("other")?.counts.accepted ?? 0 > 0
                }
                let hour = TestClock.now().advanced(by: .seconds(3600))
                try await fleet.publish(Self.job("later").delivered(Self.delivery(sendAt: hour)))
                try await fleet.publish(Self.job("now").delivered(Self.delivery(sendAt: nil)))
                let now = try await fleet.completed("now")
                #expect(now.counts.accepted == 60, "\(now.counts) \(now.reasons)")
                #expect(now.parts.count == Self.zones.count)
                // It is accepted and sent beside the other, which takes six seconds.
                let other = try #require(try await fleet.status("other"))
                #expect(other.counts.accepted < 3000 && other.law == .holds)
                let later = try #require(try await fleet.status("later"))
                #expect(later.state == "scheduled" && later.pending.unplanned == 60 && later.law == .holds)
                // A planner may have computed them further since it was accepted.
                let days = hour.advanced(by: QuietHours.knownAhead)
                let known = try await fleet.ledger.read { try $0.quietToExtend(now: days) }.map(\.rule.knownUntil)
                #expect(known.count == Self.zones.count && known.allSatisfy { $0 <= days })
                #expect(try await fleet.completed("other").counts.accepted == 3000)
                #expect(try Self.peakMemory(of: worker) < Self.memoryMax)
                #expect(fleet.simulator.statistics.requests == 3060)
            }
        }

        /// Returns `VmHWM` of `/proc/<pid>/status`.
        private static func peakMemory(of process: FanfareProcess) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
            return try #require(kilobytes) * 1024
        }
    }
}
