import AMQP
import Campaigns
import Delivery
import Servers
import TLS
import Testing

@testable import Fleet
@testable import Operations
@testable import Settings
@testable import Store

/// Runs of repeated campaigns, made by two planners with a manual clock.
struct RunMakerTests {
    private let folder: ScratchFolder
    private let apps: AppDirectory
    private let ledger: Ledger

    init() async throws {
        folder = try ScratchFolder()
        try folder.write("ONE.p8", ES256.generateKey().privateKeyPEM)
        let account = "topic: com.example.news, team_id: ABCDE12345, key_id: ABC1234567, key_file: ONE.p8"
        let file = try folder.write("apps.yaml", "apps:\n  news:\n    apns: {\(account)}\n")
        apps = try AppDirectory(try AppsFile.read(path: file))
        ledger = try Ledger.open(path: folder.path + "/ledger.db", create: true)
        let seen = ledger.now()
        _ = try await ledger.write {
            try $0.registerWorker(
                name: "test",
                roles: ["intake", "planner"],
                accounts: AppAccounts(["news": [.apns]]),
                now: seen
            )
        }
    }

    private func publish(_ id: String, audience: String, _ delivery: String) async throws -> Intake.Verdict {
        let job = """
            {"id": "\(id)", "app": "news", "audience": \(audience), "content": {"title": "Good morning"},
             "delivery": \(delivery)}
            """
        let message = InboundMessage(
            queue: "",
            deliveryTag: 1,
            redelivered: false,
            exchange: "",
            routingKey: "news",
            properties: MessageProperties(contentType: "application/json", messageID: id),
            body: Array(job.utf8)
        )
        // A worker counts for only some seconds, and other tests may have delayed this one.
        let seen = ledger.now()
        try await ledger.write { try $0.reportWorker(1, accounts: AppAccounts(["news": [.apns]]), now: seen) }
        return try await Intake(ledger: ledger, apps: apps, worker: 1).handle(message)
    }

    /// Returns the job's devices, as many as there are zones.
    private func devices(_ zones: [String]) -> String {
        let devices = zones.enumerated().map { index, zone in
            let token = String(repeating: "0123456789abcdef", count: 3) + "00000000000000\(10 + index)"
            return #"{"token": "\#(token)", "time_zone": "\#(zone)"}"#
        }
        return #"{"devices": [\#(devices.joined(separator: ","))]}"#
    }

    private func number(_ id: String) async throws -> UInt32 {
        try #require(try await ledger.read { try $0.campaignNumber(app: "news", id: id) })
    }

    private func status(_ id: String, at now: Timestamp) async throws -> CampaignStatus {
        try #require(try await ledger.read { try $0.status(app: "news", id: id, now: now) })
    }

    /// Runs a planner's pass at an instant; the previous planner's lease has run out, or it is renewed.
    private func look(as worker: Int64, at now: Timestamp) async throws {
        let maker = RunMaker(intake: Intake(ledger: ledger, apps: apps, worker: worker), ledger: ledger)
        let leases = try await ledger.write(.synced) { transaction in
            _ = try transaction.endDue(now: now)
            return try transaction.leaseCampaigns(worker: worker, apps: ["news"], now: now)
        }
        for lease in leases where lease.facts.isRunDue(at: now) {
            _ = try await maker.step(lease.token, now: now)
        }
    }

    private func runs(of id: String) async throws -> [String] {
        try await ledger.read { try $0.campaigns(app: "news", limit: 10_000) }.map(\.facts.id)
            .filter { $0.hasPrefix(id + "@") }.sorted()
    }

    @Test(arguments: ["Europe/Madrid", "America/Santiago"])
    func `over more than a year each night has one run, whichever of two planners looks`(_ zone: String) async throws {
        let delivery = #"{"ttl": 80000, "repeat": {"cron": "30 2 * * *", "time_zone": "\#(zone)"}}"#
        guard case .accepted = try await publish("nightly", audience: devices(["UTC"]), delivery) else {
            throw LedgerError.failed("the job was refused")
        }
        let begin = WallClock.now().asRead
        let first = try #require(try await status("nightly", at: begin).repetition?.nextAt)
        var now = begin
        for look in 0..<380 * 2 {
            now = now.advanced(by: .seconds(43_200))
            try await self.look(as: Int64(look % 2 + 1), at: now)
            // The other planner runs a pass too and finds nothing.
            if look % 10 == 0 { try await self.look(as: Int64((look + 1) % 2 + 1), at: now.advanced(by: .seconds(4))) }
        }
        let script = """
            zone, begin, end = ZoneInfo(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
            day = datetime.fromtimestamp(begin, zone).replace(tzinfo=None, hour=2, minute=30, second=0, microsecond=0)
            at = instant(zone, day)
            while at <= end:
                if at >= begin:
                    print(datetime.fromtimestamp(at, timezone.utc).strftime("nightly@%Y-%m-%dT%H:%M:%SZ"))
                day += timedelta(days=1)
                at = instant(zone, day)
            """
        let expected = try PythonClock.lines(script, [zone, "\(first.seconds)", "\(now.seconds)"]).map { $0[0] }
        #expect(expected.count >= 379)
        #expect(try await runs(of: "nightly") == expected)
        let parent = try await status("nightly", at: now)
        #expect(parent.state == "scheduled" && parent.repetition?.missedAt == nil && parent.law == .holds)
        #expect(parent.repetition?.runs.count == 100 && parent.repetition?.runs.allSatisfy { $0.audience == 1 } == true)
        let last = try await status(try #require(expected.last), at: now)
        #expect(last.runOf == "nightly" && last.law == .holds)
        #expect(last.expiresAt == last.createdAt.advanced(by: .seconds(80_000)))
    }

    @Test func `after a restore no run of before is made, because it may have been sent, and the next one is`()
        async throws
    {
        let cron = #""repeat": {"cron": "0 * * * *", "time_zone": "UTC"}"#
        _ = try await publish("hourly", audience: devices(["UTC"]), "{\"ttl\": 1800, \(cron)}")
        let first = try #require(try await status("hourly", at: WallClock.now().asRead).repetition?.nextAt)
        let restored = first.advanced(by: .seconds(60))
        try await ledger.write { try $0.db.run("UPDATE repeats SET restored_at = ?1", .time(restored)) }
        try await look(as: 1, at: first.advanced(by: .seconds(120)))
        let seen = try await status("hourly", at: restored)
        #expect(try await runs(of: "hourly").isEmpty && seen.repetition?.missedAt == first)
        #expect(seen.repetition?.missedWhy == "the ledger was restored: it may have been sent before")
        let second = first.advanced(by: .seconds(3600))
        try await look(as: 1, at: second)
        #expect(try await runs(of: "hourly") == [Job.runID("hourly", at: second)])
    }

    @Test func `after a pause of the fleet the latest run alone is made, and only while it is of use`() async throws {
        let cron = #""repeat": {"cron": "0 * * * *", "time_zone": "UTC"}"#
        _ = try await publish("late", audience: devices(["UTC"]), "{\"ttl\": 1800, \(cron)}")
        let first = try #require(try await status("late", at: WallClock.now().asRead).repetition?.nextAt)
        let nineHours = first.advanced(by: .seconds(9 * 3600))
        try await look(as: 1, at: nineHours.advanced(by: .seconds(1799)))
        var seen = try await status("late", at: nineHours)
        #expect(try await runs(of: "late") == [Job.runID("late", at: nineHours)])
        #expect(seen.repetition?.missedAt == first.advanced(by: .seconds(8 * 3600)))
        #expect(seen.repetition?.nextAt == first.advanced(by: .seconds(10 * 3600)))
        try await look(as: 2, at: first.advanced(by: .seconds(10 * 3600 + 1800)))
        seen = try await status("late", at: nineHours)
        #expect(try await runs(of: "late").count == 1)
        #expect(seen.repetition?.missedAt == first.advanced(by: .seconds(10 * 3600)))
        #expect(seen.repetition?.missedWhy == "no worker was there in time")
    }

    @Test func `with local_time each run has a part for each zone, at its own hour`() async throws {
        let zones = ["Asia/Tokyo", "Europe/Madrid", "America/Bogota"]
        let delivery = """
            {"local_time": true, "ttl": 3600, "repeat": {"cron": "0 9 * * *", "time_zone": "Europe/Madrid"}}
            """
        _ = try await publish("morning", audience: devices(zones), delivery)
        let first = try #require(try await status("morning", at: WallClock.now().asRead).repetition?.nextAt)
        let made = try #require(try await ledger.read { try $0.campaigns(app: "news", limit: 1) }.first?.facts.sendAt)
        try await look(as: 1, at: made.advanced(by: .milliseconds(-1)))
        #expect(try await runs(of: "morning").isEmpty)
        try await look(as: 1, at: made)
        let run = try await status(Job.runID("morning", at: first), at: made)
        #expect(run.parts.map(\.timeZone) == zones && run.audience == 3 && run.law == .holds)
        for part in run.parts {
            let rules = try #require(ZoneFiles.rules(part.timeZone ?? ""))
            let reading = rules.local(at: part.releaseAt)
            #expect(reading.secondOfDay == 9 * 3600)
            #expect(reading.day == ZoneFiles.rules("Europe/Madrid")?.local(at: first).day)
            #expect(part.expiresAt == part.releaseAt.advanced(by: .seconds(3600)))
        }
    }

    @Test func `each run has the newest version of its list, or the one that the job names`() async throws {
        func put(_ version: String, _ count: Int) async throws {
            var builder = ListBuilder()
            for number in 0..<count {
                var token = [UInt8](repeating: 7, count: 32)
                token[0] = UInt8(number)
                _ = builder.add(Device(token: ""), token: token)
            }
            let chunks = builder.finish()
            let now = WallClock.now().asRead
            _ = try await ledger.write(.synced) { transaction in
                let list = try transaction.beginList(app: "news", name: "fans", now: now)
                try transaction.appendChunks(chunks, to: list, now: now)
                _ = try transaction.finishList(list, version: version, duplicates: 0, now: now)
            }
        }
        try await put("one", 3)
        let repeated = #"{"ttl": 60, "repeat": {"cron": "0 * * * *", "time_zone": "UTC"}}"#
        _ = try await publish("newest", audience: #"{"list": "fans"}"#, repeated)
        _ = try await publish("fixed", audience: #"{"list": "fans@one"}"#, repeated)
        try await put("two", 5)
        let first = try #require(try await status("fixed", at: WallClock.now().asRead).repetition?.nextAt)
        try await look(as: 1, at: first)
        #expect(try await status(Job.runID("newest", at: first), at: first).audience == 5)
        #expect(try await status(Job.runID("fixed", at: first), at: first).audience == 3)
    }

    @Test func `a run whose list is gone is told, and the next one comes`() async throws {
        let exclude =
            #"{"devices": [{"token": "\#(String(repeating: "ab", count: 32))"}], "exclude": {"list": "gone"}}"#
        let now = WallClock.now().asRead
        _ = try await ledger.write(.synced) { transaction in
            let list = try transaction.beginList(app: "news", name: "gone", now: now)
            _ = try transaction.finishList(list, version: "v", duplicates: 0, now: now)
        }
        let repeated = #"{"ttl": 60, "repeat": {"cron": "0 * * * *", "time_zone": "UTC"}}"#
        _ = try await publish("without", audience: exclude, repeated)
        let later = now.advanced(by: .seconds(1))
        #expect(try await ledger.write(.synced) { try $0.purgeLists(Retention(lists: .zero), now: later) } == 1)
        let first = try #require(try await status("without", at: now).repetition?.nextAt)
        try await look(as: 1, at: first)
        let status = try await status("without", at: first)
        #expect(status.repetition?.missedWhy == "the list gone is not there" && status.repetition?.runs.isEmpty == true)
        #expect(status.repetition?.nextAt == first.advanced(by: .seconds(3600)) && status.state == "scheduled")
    }

    @Test(arguments: [
        (#"{"cron": "0 9 * * *", "time_zone": "Europe/Madrit"}"#, "/delivery/repeat/time_zone"),
        (#"{"cron": "0 9 * * *", "time_zone": "UTC", "until": "2020-01-01T00:00:00Z"}"#, "/delivery/repeat/until"),
        (#"{"cron": "0 9 29 2 *", "time_zone": "UTC", "until": "2027-12-31T00:00:00Z"}"#, "/delivery/repeat/cron"),
    ])
    func `what never comes is refused`(text: String, pointer: String) async throws {
        let verdict = try await publish("never", audience: devices(["UTC"]), "{\"repeat\": \(text)}")
        guard case .refused(let facts) = verdict else { throw LedgerError.failed("it was accepted") }
        #expect(facts.errors.map(\.pointer) == [pointer] && facts.errors.first?.fix != nil)
    }
}
