import Campaigns
import Delivery
import Foundation
import Glibc
import Servers
import Simulator
import Store
import TLS
import Testing

extension EndToEnd {
    /// Reasons why a campaign or the fleet stands, made one after the other, and the sections of Runbook.md followed.
    ///
    /// `NightTests` make the faults that wake somebody.
    @Suite("Runbook")
    struct RunbookSections {
        @Test func `what an order or a rate holds is named, and goes on as its section says`() async throws {
            try await PrivateFleet.with { fleet in
                let book = Runbook(fleet: fleet)
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(20))

                var many = TestJob("many", [])
                many.audience = .object(["list": "fans", "at_most": 5])
                try await fleet.publish(many)
                try await fleet.says("at_most", of: "many")
                #expect(try await book.check("CampaignToMend", id: "many").contains("at_most"))
                #expect(try await book.check("at_most", id: "many").contains("at_most"))
                try await book.remedy("at_most", id: "many")
                #expect(try await fleet.completed("many").counts.accepted == 20)

                #expect(try await fleet.run("pause", "--app", "news").exit == 0)
                try await fleet.publish(TestJob("later", TestDevices.tokens(10)))
                try await fleet.says("suspended", of: "later")
                #expect(try await book.check("Standstill", id: "later").contains("suspended"))
                #expect(try await book.check("suspended", id: "later").contains("news"))
                try await book.remedy("suspended")
                #expect(try await fleet.completed("later").counts.accepted == 10)

                try await fleet.publish(TestJob("held", TestDevices.tokens(10)).delivered(["hold": true, "ttl": 600]))
                try await eventually("it is held") { try await fleet.status("held")?.state == "held" }
                #expect(try await book.check("held", id: "held").contains("held"))
                try await book.remedy("held", id: "held")
                #expect(try await fleet.completed("held").counts.accepted == 10)

                let slow = TestJob("slow", TestDevices.tokens(300))
                try await fleet.publish(slow.delivered(["per_second": 1, "ttl": 3600]))
                try await fleet.says("rate", of: "slow")
                #expect(try await book.check("rate", id: "slow").contains("slow"))
                #expect(try await book.check("BacklogDrainTooLong", id: "slow").contains("slow"))
                try await book.remedy("BacklogDrainTooLong", id: "slow")
                #expect(try await book.check("ExpiredBeforeSend", id: "slow").contains("slow"))
                try await book.remedy("ExpiredBeforeSend", id: "slow")
                #expect(try await fleet.run("campaign", "pause", "slow").exit == 0)
                try await fleet.says("paused", of: "slow")
                #expect(try await book.check("paused", id: "slow").contains("paused"))
                for section in ["RetryStorm", "rate", "paused"] { try await book.remedy(section, id: "slow") }
                #expect(try await fleet.completed("slow").counts.accepted == 300)
            }
        }

        @Test func `what waits for its time, or has ended before all was sent, says which`() async throws {
            try await PrivateFleet.with(faults: ["rules": "dead=dead"]) { fleet in
                let book = Runbook(fleet: fleet)
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(20))
                let end: JSONValue = .string(TestClock.now().advanced(by: .seconds(5)).rfc3339)
                let unfired = TestJob("unfired", TestDevices.tokens(10))
                try await fleet.publish(unfired.delivered(["hold": true, "expires_at": end]))
                let late = TestJob("late", TestDevices.tokens(60))
                try await fleet.publish(late.delivered(["per_second": 1, "expires_at": end]))

                try await fleet.publish(Self.zoned("night").delivered(Self.quietHours()))
                try await fleet.says("quiet_hours", of: "night")
                #expect(try await book.check("quiet_hours", id: "night").contains("quiet hours until"))
                try await book.remedy("quiet_hours", id: "night")
                try await fleet.says("cancelled", of: "night")
                #expect(try await book.check("cancelled", id: "night").contains("cancelled"))

                try await fleet.publish(Self.zoned("morning").delivered(Self.localTime()))
                try await fleet.says("local_time", of: "morning")
                #expect(try await book.check("local_time", id: "morning").contains("no time zone is due"))
                try await book.remedy("local_time", id: "morning")

                for (id, rate) in [("old", 1), ("new", 1000)] {
                    let job = TestJob(id, list: "fans")
                    let delivery: KeyValuePairs<String, JSONValue?> = [
                        "per_second": .number(JSONNumber(rate)), "collapse_id": "score",
                    ]
                    try await fleet.publish(job.delivered(delivery))
                }
                #expect(try await fleet.says("superseded", of: "old").contains("new"))
                #expect(try await book.check("superseded", id: "old").contains("new"))
                #expect(try await fleet.completed("new").counts.accepted == 20)

                try Data(TestDevices.tokens(1)[0].utf8).write(to: URL(fileURLWithPath: fleet.folder + "/ben.txt"))
                let ben = ["device", "add", "ben-iphone", "--app", "news", "--user", "ben", "--from", "ben.txt"]
                #expect(try await fleet.run(ben).exit == 0)
                var nobody = TestJob("nobody", [])
                nobody.audience = .object(["segment": "tag == 'nobody'"])
                try await fleet.publish(nobody)
                try await fleet.says("failed", of: "nobody")
                #expect(try await book.check("failed", id: "nobody").contains("audience is empty"))

                try await fleet.publish(TestJob("list", TestDevices.mixed(20, prefix: "dead")))
                #expect(try await fleet.completed("list").counts.invalid == 20)
                #expect(try await book.check("InvalidTokenSpike", id: "list").contains("Unregistered"))

                try await fleet.says("never_fired", of: "unfired")
                try await fleet.says("expired", of: "late")
                #expect(try await book.check("expired", id: "late").contains("expired"))

                let elsewhere = ["FANFARE_STORE_URL": "sqlite:elsewhere.db"]
                #expect(try await fleet.told(.ledger, elsewhere).contains("elsewhere.db"))
                let afar = Runbook(fleet: fleet, environment: elsewhere)
                #expect(try await afar.check("ledger").contains("elsewhere.db"))
                try await fleet.allIsWell()
            }
        }

        @Test func `what the provider does to a campaign is named, and ends with it`() async throws {
            try await PrivateFleet.with(faults: ["rules": "5030=once-503"]) { fleet in
                let book = Runbook(fleet: fleet)
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("again", TestDevices.mixed(50, prefix: "5030")))
                // The reason itself is told only while nothing else of the campaign was sent in the last seconds.
                try await fleet.requests(reach: 100)
                #expect(try await book.check("retry", id: "again").contains("again"))
                #expect(try await book.check("RetryStorm", id: "again").contains("again"))
                #expect(try await fleet.completed("again").counts.accepted == 100)

                try await fleet.simulate("latency", "4000")
                try await fleet.putList("fans", TestDevices.tokens(4000))
                try await fleet.publish(TestJob("waits", list: "fans"))
                try await fleet.says("unplanned", "unanswered", of: "waits")
                #expect(try await book.check("queued").contains("waits"))
                try await fleet.simulate("latency", "0")
                #expect(try await fleet.completed("waits").counts.accepted == 4000)

                try await fleet.simulate("rules", "bad=BadDeviceToken")
                try await fleet.publish(TestJob("staging", TestDevices.tokens(300, prefix: "bad")))
                try await fleet.says("wrong_environment", of: "staging")
                #expect(try await book.check("wrong_environment", id: "staging").contains("wrong_environment"))
                try await fleet.simulate("rules", "")
                try await book.remedy("wrong_environment", id: "staging")
                #expect(try await fleet.completed("staging").counts.accepted == 300)

                try await fleet.simulate("storm", "true")
                try await fleet.publish(TestJob("outage", TestDevices.tokens(1000, prefix: "b")))
                try await fleet.says("breaker", of: "outage")
                #expect(try await book.check("BreakerOpen").contains("ServiceUnavailable"))
                try await fleet.simulate("storm", "false")
                #expect(try await fleet.completed("outage").counts.accepted == 1000)
                try await fleet.allIsWell()
            }
        }

        @Test func `a fleet that lacks workers, or has them in two minds, is well after the sections' remedies`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let book = Runbook(fleet: fleet)
                _ = try await fleet.told(.noWorker)
                #expect(try await book.check("NoWorkers").contains("no worker is running"))
                let planner = try await Self.started { keep in
                    try await book.remedy(
                        "NoWorkers",
                        host: [
                            "systemctl start fanfare@1": {
                                keep(try await fleet.startWorker(roles: "intake,planner,tracking"))
                            }
                        ]
                    )
                }

                try await fleet.publish(TestJob("derby", TestDevices.tokens(20)))
                try await fleet.says("no_consumer", of: "derby")
                _ = try await fleet.told(.noConsumer)
                #expect(try await book.check("LaneWithoutConsumers").contains("nobody takes from"))
                let frozen = try #require(try await book.remedy("LaneWithoutConsumers").first)
                #expect(try await fleet.completed("derby").counts.accepted == 20)

                frozen.signal(SIGSTOP)
                try await fleet.publish(TestJob("stuck", TestDevices.tokens(20)))
                try await fleet.says("queued", of: "stuck")
                #expect(try await book.check("queued").contains("stuck"))
                let sender = try await Self.started { keep in
                    try await book.remedy(
                        "queued",
                        host: [
                            "systemctl restart 'fanfare@*'": {
                                frozen.kill()
                                keep(try await fleet.startWorker(roles: "sender"))
                            }
                        ]
                    )
                }
                #expect(try await fleet.completed("stuck").counts.accepted == 20)

                let apps = try String(contentsOfFile: fleet.folder + "/apps.yaml", encoding: .utf8)
                let other = OtherApps(fleet)
                let second = try await inTwoMinds(fleet, apps, other)
                for worker in [sender, second] { try await Self.stop(worker) }
                try await fleet.publish(TestJob("stranded", TestDevices.tokens(20)))
                try await eventually("it is accepted") { try await fleet.status("stranded") != nil }
                try await Self.stop(planner)
                try other.write(apps.replacing("  news:\n", with: "  sport:\n"))
                let without = try fleet.start(["worker", "--config", "fanfare.yaml"], environment: other.environment)
                try await fleet.says("no_credentials", of: "stranded")
                _ = try await fleet.told(.appStranded)
                #expect(try await book.check("no_credentials").contains("no worker has credentials for news"))
                try await book.remedy(
                    "no_credentials",
                    host: [
                        "systemctl restart 'fanfare@*'": {
                            try await Self.stop(without)
                            _ = try await fleet.startWorker()
                        }
                    ]
                )
                #expect(try await fleet.completed("stranded").counts.accepted == 20)
                try await fleet.allIsWell()
            }
        }

        @Test func `a certificate that ends in five days is named with its app, until a new one was read`() async throws
        {
            try await PrivateFleet.with { fleet in
                func certify(days: Int) throws {
                    let authority = try CertificateAuthority(commonName: "test")
                    let identity = try authority.issueClient(commonName: "com.example.news", days: days)
                    for (name, bytes) in [("ends.pem", identity.certificatePEM), ("ends.key", identity.privateKeyPEM)] {
                        try Data(bytes).write(to: URL(fileURLWithPath: "\(fleet.folder)/\(name)"))
                    }
                }
                try certify(days: 5)
                let text = """
                    apps:
                      news:
                        apns:
                          topic: com.example.news
                          certificate_file: ends.pem
                          private_key_file: ends.key
                          endpoint: https://127.0.0.1:\(fleet.simulator.port)
                          ca_file: ca.pem

                    """
                try Data(text.utf8).write(to: URL(fileURLWithPath: fleet.folder + "/apps.yaml"))
                _ = try await fleet.startWorker()
                #expect(try await fleet.told(.credentialsEnd).contains("news (apns)"))
                let book = Runbook(fleet: fleet)
                #expect(try await book.check("KeyEnds").contains("news (apns)"))
                try certify(days: 400)
                try await book.remedy("KeyEnds")
                try await fleet.allIsWell()
            }
        }

        @Test(.hurtsItsBroker) func `a broker in an alarm is named, and is well with another threshold`() async throws {
            try await PrivateFleet.with { fleet in
                let node = try await PrivateBroker.node()
                let book = Runbook(fleet: fleet)
                _ = try await fleet.startWorker()
                // RabbitMQ tells only those who publish, and a rate makes the planner publish all the time.
                let slow = TestJob("slow", TestDevices.tokens(150)).delivered(["per_second": 10, "ttl": 3600])
                try await fleet.publish(slow)
                try await fleet.requests(reach: 5)
                try await node.rabbitmqctl("set_vm_memory_high_watermark", "0.00001")
                do {
                    _ = try await fleet.told(.brokerAlarm)
                    try await eventually("the node is named", within: .seconds(20)) {
                        try await fleet.told(.brokerAlarm).contains("memory of \(node.name)")
                    }
                    #expect(try await book.check("BrokerBlocked").contains("alarm"))
                } catch {
                    try await node.rabbitmqctl("set_vm_memory_high_watermark", "0.8")
                    throw error
                }
                try await book.remedy(
                    "BrokerBlocked",
                    host: [
                        "rabbitmqctl set_vm_memory_high_watermark 0.6": {
                            try await node.rabbitmqctl("set_vm_memory_high_watermark", "0.8")
                        }
                    ]
                )
                #expect(try await fleet.completed("slow").counts.accepted == 150)
                try await fleet.allIsWell()
            }
        }

        // MARK: - Scenes

        /// Gives one worker another version of the app, until the remedy has it read the others' file; returns it.
        private func inTwoMinds(
            _ fleet: PrivateFleet,
            _ apps: String,
            _ other: OtherApps
        ) async throws -> FanfareProcess {
            let book = Runbook(fleet: fleet)
            try other.write(apps.replacing("  news:\n", with: "  news:\n    per_second: 100000\n"))
            let second = try await fleet.startWorker(roles: "sender", environment: other.environment)
            #expect(try await fleet.told(.appVersions).contains("\(second.pid)"))
            #expect(try await book.check("app_versions").contains("\(second.pid)"))
            try other.write(apps)
            try await book.remedy("app_versions")
            try await fleet.allIsWell()
            return second
        }

        /// Half of the devices live where it is now night by the job, half twelve hours ahead of them.
        private static func zoned(_ id: String) -> TestJob {
            var job = TestJob(id, [])
            let devices = TestDevices.tokens(10).enumerated().map { index, token -> JSONValue in
                .object([
                    "token": .string(token), "time_zone": .string(index.isMultiple(of: 2) ? "Etc/UTC" : "Etc/GMT-12"),
                ])
            }
            job.audience = .object(["devices": .array(devices)])
            return job
        }

        /// Quiet hours that began an hour ago by UTC, and end in one.
        private static func quietHours() -> KeyValuePairs<String, JSONValue?> {
            let minute = Int(TestClock.now().seconds / 60 % 1440)
            let (from, to) = ((minute + 1380) % 1440, (minute + 60) % 1440)
            return [
                "quiet_hours": .object(["from": .string(QuietHours.text(from)), "to": .string(QuietHours.text(to))]),
                "ttl": 36_000,
            ]
        }

        /// A local time that is six hours away by UTC, and six hours ago twelve hours ahead of it.
        private static func localTime() -> KeyValuePairs<String, JSONValue?> {
            func local(_ hours: Int64) -> JSONValue {
                // Without its fraction and its offset.
                .string(String(TestClock.now().advanced(by: .seconds(hours * 3600)).rfc3339.prefix(19)))
            }
            return ["local_time": true, "send_at": local(6), "expires_at": local(20)]
        }

        /// Returns the worker that a body starts and hands over.
        private static func started(
            _ body: (_ keep: @escaping (FanfareProcess) -> Void) async throws -> Void
        ) async throws -> FanfareProcess {
            var kept: FanfareProcess?
            try await body { kept = $0 }
            return try #require(kept)
        }

        private static func stop(_ worker: FanfareProcess) async throws {
            worker.terminate()
            #expect(try await worker.ended(within: .seconds(30)).exit == 0)
        }
    }
}

/// Another apps file beside a fleet's own, for workers that were deployed differently.
private struct OtherApps {
    private let path: String

    init(_ fleet: PrivateFleet) {
        path = fleet.folder + "/other.yaml"
    }

    var environment: [String: String] { ["FANFARE_APPS_FILE": path] }

    func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
}
