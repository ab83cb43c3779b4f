import Campaigns
import Operations
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Campaigns that are cut by time zone.
    @Suite("Local time")
    struct LocalTimes {
        /// Every offset in use: north and south, with and without summer time, half and quarter hours.
        private static let zones = [
            "Pacific/Niue", "Pacific/Honolulu", "Pacific/Marquesas", "America/Adak", "America/Anchorage",
            "America/Los_Angeles", "America/Denver", "America/Mexico_City", "America/New_York", "America/Caracas",
            "America/Halifax", "America/St_Johns", "America/Sao_Paulo", "America/Santiago", "America/Nuuk",
            "Atlantic/Azores", "Africa/Casablanca", "Europe/London", "Europe/Dublin", "Europe/Madrid",
            "Europe/Athens", "Africa/Cairo", "Asia/Beirut", "Europe/Istanbul", "Asia/Tehran", "Asia/Dubai",
            "Asia/Kabul", "Asia/Karachi", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Dhaka", "Asia/Yangon",
            "Asia/Bangkok", "Asia/Shanghai", "Australia/Eucla", "Australia/Lord_Howe", "Pacific/Chatham",
            "Pacific/Apia",
        ]

        /// Local times in nights of clock changes: in North America, in Europe, in the south, in Chile.
        @Test func `a segment over 38 zones begins in each when its clock says so, over changes of the clocks`()
            async throws
        {
            let readings = [
                "2027-03-14T02:30:00", "2027-03-28T02:30:00", "2027-04-04T02:10:00", "2027-09-05T00:00:00",
            ]
            let script = """
                for text in sys.argv[1].split(","):
                    for name in sys.argv[2:]:
                        print(text, name, instant(ZoneInfo(name), datetime.fromisoformat(text)))
                """
            let lines = try PythonClock.lines(script, [readings.joined(separator: ",")] + Self.zones)
            #expect(lines.count == readings.count * Self.zones.count)
            try await PrivateFleet.with { fleet in
                let tokens = TestDevices.tokens(Self.zones.count)
                let devices = zip(Self.zones, tokens).map { zone, token in
                    DeviceRegistration(device: Device(token: token, id: zone, timeZone: zone), tags: .set(["sport"]))
                }
                _ = try await Registry.register(devices, app: PrivateFleet.app, in: fleet.ledger)
                _ = try await fleet.startWorker()
                for (number, reading) in readings.enumerated() {
                    var job = TestJob("night\(number)", [])
                    job.audience = .object(["segment": "sport", "exclude": .object(["users": .array(["u"])])])
                    let delivery: KeyValuePairs<String, JSONValue?> = [
                        "local_time": true, "send_at": .string(reading), "ttl": 3600,
                        "quiet_hours": .object(["from": "23:00", "to": "23:30"]),
                    ]
                    try await fleet.publish(job.delivered(delivery))
                }
                for (number, reading) in readings.enumerated() {
                    let status = try await eventually("it is known who is meant") {
                        let status = try await fleet.status("night\(number)")
                        return status?.parts.isEmpty == false ? status : nil
                    }
                    #expect(status.audience == Self.zones.count && status.law == .holds)
                    #expect(status.state == "scheduled" && status.pending.unplanned == Self.zones.count)
                    let expected = lines.filter { $0[0] == reading }
                    let parts = Dictionary(uniqueKeysWithValues: status.parts.map { ($0.timeZone ?? "", $0) })
                    for line in expected {
                        let part = try #require(parts[line[1]])
                        #expect(String(part.releaseAt.seconds) == line[2], "\(line[1]) at \(reading)")
                        #expect(part.expiresAt == part.releaseAt.advanced(by: .seconds(3600)) && part.devices == 1)
                    }
                    #expect(status.parts.map(\.releaseAt) == status.parts.map(\.releaseAt).sorted())
                }
                #expect(fleet.simulator.statistics.requests == 0)
            }
        }

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
