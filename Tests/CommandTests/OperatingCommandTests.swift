import Campaigns
import Store
import Testing

/// An operator's changes and questions to a campaign, on a ledger without a worker.
@Suite struct OperatingCommandTests {
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path, environment: ["FANFARE_AMQP_URL": "amqp://127.0.0.1:1"])
    }

    private func json(_ text: String) throws -> JSONValue {
        try #require(JSONReader.read(Array(text.utf8)).value)
    }

    private func lines(_ text: String) throws -> [JSONValue] {
        try text.split(separator: "\n").map { try json(String($0)) }
    }

    private func ledger() throws -> Ledger { try Ledger.open(path: folder.path + "/fanfare.db", create: true) }

    @Test func `set changes rate, end and urgency, and the history says so`() async throws {
        let ledger = try ledger()
        try await ledger.acceptThree("derby")
        let end = CommandTime.now.advanced(by: .seconds(7200)).rfc3339
        let arguments = ["campaign", "set", "derby", "--per-second", "20", "--expires-at", end, "--urgency", "urgent"]
        let set = try command.run(arguments + ["--json"])
        #expect(set.exit == 0, "\(set.errors)")
        #expect(try json(set.output)["per_second"]?.integer == 20 && json(set.output)["expires_at"]?.string == end)
        let events = try lines(command.run("campaign", "events", "news/derby", "--json").output)
        #expect(
            events.map { $0["type"]?.string } == ["campaign.accepted"] + Array(repeating: "campaign.changed", count: 3)
        )
        #expect(events.last?["data"]?["urgency"]?.string == "urgent" && events.last?["by"]?.string?.isEmpty == false)
        let told = try command.run("campaign", "events", "derby").output
        #expect(told.contains("accepted") && told.contains("per second 20") && told.contains("expires at \(end)"))
        await ledger.close()
    }

    @Test func `what cannot be set is said, and nothing is changed`() async throws {
        let ledger = try ledger()
        try await ledger.acceptThree("derby")
        try await ledger.acceptThree("over", cancelled: true)
        for (arguments, word) in [
            (["--expires-at", "2020-01-01T00:00:00Z", "--per-second", "5"], "has passed"),
            (["--expires-at", "2090-01-01T00:00:00Z", "--urgency", "urgent"], "keeps no push beyond"),
            (["--expires-at", "2090-01-01T00:00:00"], "cut by time zone"),
        ] {
            let refused = try command.run(["campaign", "set", "derby"] + arguments)
            #expect(refused.exit == 64 && refused.errors.contains(word), "\(refused.errors)")
        }
        #expect(try lines(command.run("campaign", "events", "derby", "--json").output).count == 1)
        for arguments in [[], ["--urgency", "soon"], ["--expires-at", "tomorrow"], ["--per-second", "0"]] {
            #expect(try command.run(["campaign", "set", "derby"] + arguments).exit == 64)
        }
        let over = try command.run("campaign", "set", "over", "--urgency", "urgent")
        #expect(over.exit == 1 && over.errors.contains("nothing left to set"))
        let unknown = try command.run("campaign", "set", "none", "--expires-at", "2090-01-01T00:00:00Z")
        #expect(unknown.exit == 1)
        await ledger.close()
    }

    @Test func `watch and events end with the campaign, and say how`() async throws {
        let ledger = try ledger()
        try await ledger.acceptThree("over", cancelled: true)
        let watched = try command.run("campaign", "watch", "over", "--json")
        #expect(watched.exit == 1)
        let objects = try lines(watched.output)
        #expect(objects.count == 1 && objects[0]["state"]?.string == "cancelled")
        #expect(objects[0]["cancelled"]?.integer == 3 && objects[0]["pending"]?.integer == 0)
        let line = try command.run("campaign", "watch", "over")
        #expect(line.output == "news/over: cancelled (by ben), 3 of 3 (100.0 %), cancelled 3\n")
        let events = try lines(command.run("campaign", "events", "over", "--follow", "--json").output)
        #expect(events.map { $0["type"]?.string } == ["campaign.accepted", "campaign.cancelled", "campaign.completed"])
        #expect(events[1]["by"]?.string == "ben")
        #expect(try command.run("campaign", "watch", "none").exit == 1)
        #expect(try command.run("campaign", "events", "none").exit == 1)
        let refusal = ProblemDocument(
            .invalidJob,
            title: "The job cannot be sent",
            errors: [Problem(pointer: "/delivery/expire_at", code: .unknownField, detail: "no such field")]
        )
        _ = try await ledger.write(.synced) { transaction in
            try transaction.refuse(
                app: "news",
                id: "wrong",
                document: JSONWriter.bytes(refusal.json),
                correlationID: "wrong",
                now: CommandTime.now
            ) { .refused(refusal, app: "news", sequence: $0, at: CommandTime.now) }
        }
        let refused = try command.run("campaign", "events", "wrong")
        #expect(refused.exit == 0 && refused.output.contains("refused        /delivery/expire_at: no such field"))
        await ledger.close()
    }

    @Test func `list takes states, and outcomes take reasons and forms`() async throws {
        let ledger = try ledger()
        try await ledger.acceptThree("derby")
        try await ledger.acceptThree("over", cancelled: true)
        func ids(_ arguments: String...) throws -> [String?]? {
            let output = try command.run(["campaign", "list", "--json"] + arguments).output
            return try json(output).array?.map { $0["id"]?.string }
        }
        #expect(try ids() == ["over", "derby"])
        #expect(try ids("--state", "scheduled") == ["derby"])
        #expect(try ids("--state", "cancelled", "--state", "scheduled", "--limit", "1") == ["over"])
        #expect(try command.run("campaign", "list", "--state", "lost").exit == 64)
        _ = try command.run("campaign", "pause", "derby")
        let paused = try command.run("campaign", "list", "--state", "paused")
        #expect(paused.output.contains("derby") && paused.output.contains("paused (paused)"))

        let cancelled = try lines(
            command.run("campaign", "outcomes", "over", "--outcome", "cancelled", "--ndjson").output
        )
        #expect(cancelled.map { $0["id"]?.string } == ["d1", "d2", "d3"])
        #expect(try command.run("campaign", "outcomes", "over", "--reason", "Unregistered", "--ndjson").output.isEmpty)
        let csv = try command.run("campaign", "outcomes", "derby", "--outcome", "pending").output
        #expect(csv.split(separator: "\n").count == 4 && csv.hasPrefix("token,provider,id,outcome,requests,reason\n"))
        await ledger.close()
    }

    @Test func `trace finds a device by its name, its token and its user, in the registry or not`() async throws {
        let ledger = try ledger()
        try await ledger.acceptThree("derby")
        try await ledger.acceptThree("over", cancelled: true)
        let text = String(repeating: "ab", count: 31) + "02"
        let byName = try json(command.run("device", "trace", "d2", "--app", "news", "--json").output).array
        #expect(byName?.map { $0["campaign"]?.string } == ["over", "derby"])
        #expect(byName?.map { $0["outcome"]?.string } == ["cancelled", "pending"])
        #expect(byName?.map { $0["pending_in"]?.string } == [nil, "unplanned"])
        #expect(byName?.first?["provider_id"] == .null && byName?.first?["token"]?.string == text)
        let byToken = try command.run("device", "trace", text.uppercased(), "--app", "news")
        #expect(byToken.exit == 0 && byToken.output.contains("d2, apns abababab…ab02"))
        #expect(!byToken.output.contains(text))
        let fromFile = try command.run(["device", "trace", "--from", "-", "--app", "news"], input: text + "\n")
        #expect(fromFile.output == byToken.output)
        let later = try command.run("device", "trace", "d2", "--app", "news", "--since", "2090-01-01T00:00:00Z")
        #expect(later.exit == 1)

        let add = ["device", "add", "phone", "--app", "news", "--from", "-", "--user", "ana"]
        _ = try command.run(add, input: text)
        let byUser = try json(command.run("device", "trace", "--user", "ana", "--app", "news", "--json").output).array
        #expect(byUser == byName)
        let none = try command.run("device", "trace", "--user", "ben", "--app", "news")
        #expect(none.exit == 1 && none.errors.contains("no device of the user ben"))
        _ = try command.run(["device", "add", "new", "--app", "news", "--from", "-"], input: String(text.reversed()))
        #expect(
            try command.run("device", "trace", "new", "--app", "news").output
                == "no campaign's audience had this device\n"
        )
        #expect(try command.run("device", "trace", "--app", "news").exit == 64)
        #expect(try command.run("device", "trace", "d2", "--user", "ana", "--app", "news").exit == 64)
        await ledger.close()
    }

    @Test func `audience check counts before anything is sent`() async throws {
        let ledger = try ledger()
        try folder.write(
            "devices.csv",
            """
            token,id,user,tags,locale,time_zone,permission
            \(String(repeating: "01", count: 32)),a,ana,sport,es-ES,Europe/Madrid,authorized
            \(String(repeating: "02", count: 32)),b,ana,sport,es-MX,,denied
            \(String(repeating: "03", count: 32)),c,ben,news,es-ES,Europe/Madrid,authorized
            """
        )
        #expect(try command.run("device", "import", "devices.csv", "--app", "news").exit == 0)
        let check = ["audience", "check", "--app", "news", "--segment"]
        let count = try json(command.run(check + ["sport && locale == es", "--json"]).output)
        #expect(count["devices"]?.integer == 2 && count["denied"]?.integer == 1)
        #expect(count["locales"]?["es-MX"]?.integer == 1 && count["time_zones"]?["Europe/Madrid"]?.integer == 1)
        #expect(count["providers"]?["apns"]?.integer == 2)
        #expect(try command.run(check + ["sport"]).output.hasPrefix("2 devices, 1 of them want no alerts\n"))
        let nobody = try command.run(check + ["hockey"])
        #expect(nobody.exit == 0 && nobody.output == "0 devices\n")
        let wrong = try command.run(check + ["sport &&", "--json"])
        #expect(wrong.exit == 65)
        #expect(try json(wrong.errors)["errors"]?.array?.first?["pointer"]?.string == "/audience/segment")
        try folder.write(
            "job.json",
            """
            {"id": "derby", "app": "news", "content": {"title": "Goal"},
             "audience": {"users": ["ana", "ben", "nobody"], "exclude": {"segment": "locale == 'es-MX'"}}}
            """.replacing("'", with: "\\\"")
        )
        let job = try command.run("audience", "check", "job.json", "--json")
        #expect(try json(job.output)["devices"]?.integer == 2, "\(job.errors)")
        #expect(try json(job.output)["users_without_device"]?.integer == 1)
        #expect(try command.run("audience", "check").exit == 64)
        let exact = try json(command.run(check + ["sport", "--exact", "--json"]).output)
        #expect(exact["devices"]?.integer == 2 && exact["estimated"] == .bool(false) && exact["error"]?.integer == 0)
        await ledger.close()
    }

    @Test func `audience check estimates a part of a large registry, and counts it when asked to`() async throws {
        let ledger = try ledger()
        let count = 20_000
        let rows = (0..<count).map { number in
            let token = String(repeating: "0", count: 56) + String(0x1000_0000 + number, radix: 16)
            return "\(token),d\(number),\(number % 4 == 0 ? "sport" : "news")"
        }
        try folder.write("devices.csv", "token,id,tags\n" + rows.joined(separator: "\n") + "\n")
        #expect(try command.run("device", "import", "devices.csv", "--app", "news").exit == 0)
        let check = ["audience", "check", "--app", "news", "--segment", "sport"]
        let estimate = try json(command.run(check + ["--json"]).output)
        let devices = try #require(estimate["devices"]?.integer)
        let error = try #require(estimate["error"]?.integer)
        // Each range of 512 has exactly a quarter, so that the error is that of one not met.
        #expect(estimate["estimated"] == .bool(true) && (1...10).contains(error) && abs(devices - 5_000) <= 50)
        let text = try command.run(check).output
        #expect(text.hasPrefix("about ") && text.contains(" devices (counted with --exact)"), "\(text)")
        let exact = try json(command.run(check + ["--exact", "--json"]).output)
        #expect(exact["devices"]?.integer == 5_000 && exact["estimated"] == .bool(false))
        await ledger.close()
    }
}
