import Campaigns
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Campaigns that are cut by time zone.
    @Suite("Local time")
    struct LocalTimes {
        @Test func `nine o'clock comes to each zone in its turn`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                // Johannesburg is some seconds before its hour, Tokyo is past it, Bogota waits for hours.
                let due = Timestamp(milliseconds: (TestClock.now().seconds + 5) * 1000)
                let reading = Timestamp(milliseconds: due.milliseconds + 2 * 3_600_000).rfc3339.prefix(19)
                var job = TestJob("derby", [])
                let zones = ["Africa/Johannesburg", "Asia/Tokyo", "America/Bogota"]
                job.audience = .object([
                    "devices": .array(
                        zones.enumerated().flatMap { index, zone in
                            TestDevices.tokens(10, prefix: "\(index + 1)").map { token -> JSONValue in
                                .object(["token": .string(token), "time_zone": .string(zone)])
                            }
                        }
                    )
                ])
                let delivery: KeyValuePairs<String, JSONValue?> = [
                    "local_time": true, "send_at": .string(String(reading)), "ttl": 86_400,
                ]
                try await fleet.publish(job.delivered(delivery))
                try await eventually("Tokyo has it") { try await fleet.status("derby")?.counts.accepted ?? 0 >= 10 }
                try await eventually("Johannesburg has it too") {
                    try await fleet.status("derby")?.counts.accepted == 20
                }
                #expect(TestClock.now() >= due)
                let status = try #require(try await fleet.status("derby"))
                #expect(status.parts.map(\.timeZone) == ["Asia/Tokyo", "Africa/Johannesburg", "America/Bogota"])
                #expect(status.parts.map(\.unplanned) == [0, 0, 10] && status.pending.unplanned == 10)
                #expect(status.law == .holds)
                #expect(try await fleet.run("campaign", "cancel", "derby").exit == 0)
                #expect(try await fleet.completed("derby").counts.cancelled == 10)
                #expect(fleet.simulator.statistics.requests == 20)
            }
        }
    }
}
