import Campaigns
import Operations
import Testing

/// A fleet's needs, calculated in a way that a person can follow.
@Suite struct CapacityCommandTests {
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
    }

    private func value(_ plan: CapacityPlan, _ what: String) throws -> Double {
        try #require(plan.needs.first { $0.what == what }).value
    }

    @Test func `four million devices in five seconds need what the formula says`() throws {
        let metrics = CapacityMetrics(push: ["sending": 3, "fcm": 6], ledger: 0.5, source: "")
        let plan = CapacityPlan(CapacityAsk(devices: 4_000_000, seconds: 5, latency: 0.06, cores: 4), metrics)
        // 4.2 million requests, a twentieth of them second tries.
        #expect(try value(plan, "requests a second") == 840_000)
        #expect(try value(plan, "requests under way") == 50_400)
        #expect(try value(plan, "connections") == 51)
        #expect(abs(try value(plan, "cores for workers") - 4.2) < 0.001)
        #expect(try value(plan, "event loops") == 5)
        #expect(try value(plan, "workers") == 2)
        #expect(abs(try value(plan, "ledger, its writer's load") - 42) < 0.001)
        #expect(plan.limits.count == 2, "several machines, and connections that a cold fleet opens: \(plan.limits)")
    }

    @Test func `a provider with few streams needs loops for its connections, and a quota is named`() throws {
        let metrics = CapacityMetrics(push: ["sending": 3, "fcm": 6], ledger: 0.5, source: "")
        let ask = CapacityAsk(devices: 1_000_000, seconds: 10, latency: 0.4, provider: .fcm, perMinute: 600_000)
        let plan = CapacityPlan(ask, metrics)
        // 42,000 in flight, 100 on each of 420 connections, 32 of them per loop.
        #expect(try value(plan, "connections") == 420)
        #expect(try value(plan, "connections kept warm") == value(plan, "event loops"))
        #expect(try value(plan, "event loops") == 14)
        #expect(plan.limits.contains { $0.contains("600,000 requests a minute allows it in about 2 min at best") })
    }

    @Test func `metrics of one's own bench count, and a file that is none is refused`() throws {
        try folder.write(
            "bench.json",
            #"{"scenarios": [{"scenario": "sending", "figures": [{"name": "cpu_us", "value": 1.5}]}]}"#
        )
        let own = try command.run(
            "capacity",
            "--devices",
            "1000000",
            "--within",
            "10s",
            "--bench",
            "bench.json",
            "--json"
        )
        #expect(own.exit == 0, "\(own.errors)")
        let needs = try #require(JSONReader.read(Array(own.output.utf8)).value?["needs"]?.array)
        let cores = try #require(needs.first { $0["what"]?.string == "cores for workers" })
        #expect(cores["because"]?.string?.hasPrefix("1.5 µs a push") == true)
        try folder.write("else.json", "{}")
        let other = try command.run("capacity", "--devices", "1", "--within", "10s", "--bench", "else.json")
        #expect(other.exit == 64 && other.errors.contains("else.json is not what fanfare bench --json prints"))
        #expect(try command.run("capacity", "--devices", "1", "--within", "soon").exit == 64)
    }

    @Test func `for FCM the quota has a line of its own, and the last device is told`() throws {
        let arguments = ["capacity", "--devices", "4000000", "--within", "1m", "--provider", "fcm"]
        let told = try command.run(arguments)
        #expect(told.exit == 0, "\(told.errors)")
        let lines = told.output.split(separator: "\n")
        let quota = try #require(lines.first { $0.hasPrefix("quota, time for all devices") })
        #expect(quota.contains(" 7 min ") && quota.contains("600,000 requests a minute of a project"))
        let last = try #require(lines.first { $0.hasPrefix("last device, likely after") })
        #expect(last.contains(" 7 min ") && last.contains("the quota of 600,000 a minute"))
        let json = try #require(JSONReader.read(Array(try command.run(arguments + ["--json"]).output.utf8)).value)
        #expect(json["forecast"]?["providers"]?.array?.first?["limit"]?.string == "quota")
        #expect(json["forecast"]?["seconds"]?["likely"]?.integer == 440)
        let more = try command.run(arguments + ["--per-minute", "6000000"])
        #expect(more.output.contains("6,000,000 requests a minute of a project"))
    }

    @Test func `for Apple the connections have one, and Web Push costs what sealing costs`() throws {
        let apns = try command.run("capacity", "--devices", "4000000", "--within", "5s")
        #expect(apns.output.contains("connections allow, a second") && !apns.output.contains("quota"))
        // Two workers of four loops, with 32 connections of 1,000 requests each, answered after 60 ms.
        #expect(apns.output.contains("4,300,000"), "\(apns.output)")
        let web = try command.run("capacity", "--devices", "1000000", "--within", "60s", "--provider", "webpush")
        #expect(web.exit == 0 && web.output.contains("100 µs a push"), "\(web)")
    }
}
