import AMQP
import Campaigns
import Delivery
import Foundation
import Glibc
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// Ten faults, made one at a time on a running fleet and looked for with nothing but the product's own words.
    ///
    /// After at most fifteen seconds `fanfare status` names the cause and the remedy, and ends with 1 where a person is
    /// needed. Then the fault's section of Runbook.md is followed, and after its remedy all is well by itself.
    @Suite("Night")
    struct Night {
        @Test(.hurtsItsBroker) func `a broker that was killed is named, and the fleet comes back with it`() async throws
        {
            try await PrivateFleet.with { fleet in
                let node = try await PrivateBroker.node()
                _ = try await fleet.startWorker()
                try await fleet.allIsWell()
                node.kill()
                let text = try await fleet.told(.broker)
                #expect(text.contains("start it"), "\(text)")
                let book = Runbook(fleet: fleet)
                #expect(try await book.check("BrokerGone").contains("start it"))
                try await book.remedy(
                    "BrokerGone",
                    host: ["systemctl start rabbitmq-server": { try await node.restart() }]
                )
                try await fleet.allIsWell()
            }
        }

        @Test func `a key that Apple refuses is named with its app, and the campaign goes on with the right one`()
            async throws
        {
            try await PrivateFleet.with(faults: ["rules": "cafe=InvalidProviderToken"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", TestDevices.tokens(100, prefix: "cafe")))
                let text = try await fleet.told(.credentials)
                #expect(text.contains("news") && text.contains("InvalidProviderToken"), "\(text)")
                let doctor = try await fleet.run("doctor", "--offline")
                #expect(doctor.exit == 1 && doctor.output.contains("InvalidProviderToken"), "\(doctor.output)")
                let book = Runbook(fleet: fleet)
                #expect(try await book.check("credentials").contains("InvalidProviderToken"))
                try await fleet.simulate("rules", "")
                try await book.remedy("credentials", id: "derby")
                #expect(try await fleet.completed("derby").counts.accepted == 100)
                try await fleet.allIsWell()
            }
        }

        @Test func `a ledger whose disk is full is named, by the worker's probe too, and nothing is lost or repeated`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "20", "streams": "10"]) { fleet in
                let disk = try FullDisk(in: fleet.folder)
                let environment = try disk.environment()
                let worker = try await fleet.startWorker(environment: environment)
                try await fleet.putList("fans", TestDevices.tokens(3000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 200)
                try disk.set(full: true)
                let text = try await fleet.told(.ledgerWrites, environment)
                #expect(text.contains("full"), "\(text)")
                try await eventually("the worker is not ready", within: .seconds(15)) {
                    let answer = try await worker.probe("/readyz")
                    return answer.status == 503 && String(decoding: answer.body, as: UTF8.self).contains("ledger")
                }
                let arguments = ["doctor", "--offline", "--config", "fanfare.yaml"]
                let doctor = try await FanfareProcess.run(arguments, folder: fleet.folder, environment: environment)
                #expect(doctor.exit == 1 && doctor.output.contains("full"), "\(doctor.output)\(doctor.errors)")
                let book = Runbook(fleet: fleet, environment: environment)
                #expect(try await book.check("LedgerFailing").contains("full"))
                try disk.set(full: false)
                #expect(try await fleet.completed("derby").counts.accepted == 3000)
                #expect(try await fleet.devices("derby").differing.isEmpty)
                try await fleet.allIsWell(environment)
            }
        }

        @Test func `a worker that lacks an app which others have is named`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let file = fleet.folder + "/apps.yaml"
                let apps = try String(contentsOfFile: file, encoding: .utf8)
                let other = fleet.folder + "/other.yaml"
                try Data(apps.replacingOccurrences(of: "  news:", with: "  sport:").utf8)
                    .write(to: URL(fileURLWithPath: other))
                let lacking = try fleet.start(
                    ["worker", "--config", "fanfare.yaml"],
                    environment: ["FANFARE_APPS_FILE": other]
                )
                let text = try await fleet.told(.appMissing)
                #expect(text.contains("\(lacking.pid)") && text.contains("news"), "\(text)")
                let book = Runbook(fleet: fleet)
                #expect(try await book.check("app_missing").contains("\(lacking.pid)"))
                try await book.remedy(
                    "app_missing",
                    host: [
                        "systemctl restart fanfare@2": {
                            lacking.terminate()
                            #expect(try await lacking.ended(within: .seconds(30)).exit == 0)
                            _ = try await fleet.startWorker()
                        }
                    ]
                )
                try await fleet.allIsWell()
            }
        }

        @Test func `a campaign that its content's guard has paused is named, with how it goes on`() async throws {
            try await PrivateFleet.with(faults: ["rules": "cafe=BadTopic"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(1500, prefix: "cafe"))
                try await fleet.publish(TestJob("derby", list: "fans").delivered(["per_second": 180]))
                let text = try await fleet.told(.campaignPaused)
                #expect(text.contains("news/derby") && text.contains("fanfare campaign resume"), "\(text)")
                let book = Runbook(fleet: fleet)
                #expect(try await book.check("CampaignToMend", id: "derby").contains("content"))
                #expect(try await book.check("content", id: "derby").contains("BadTopic"))
                try await fleet.simulate("rules", "")
                try await book.remedy("content", id: "derby")
                let last = try await fleet.completed("derby")
                #expect(last.counts.accepted + last.counts.failed == 1500 && last.counts.accepted > 0)
                try await fleet.allIsWell()
            }
        }

        @Test func `a worker that stopped is named with when it was last heard, and its successor ends the matter`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let lost = try await fleet.startWorker()
                lost.kill()
                let text = try await fleet.told(.workerSilent)
                #expect(text.contains("\(lost.pid)"), "\(text)")
                let book = Runbook(fleet: fleet)
                #expect(try await book.check("WorkerDown").contains("last heard"))
                #expect(try await fleet.run("doctor", "--offline").exit == 1)
                try await book.remedy(
                    "WorkerDown",
                    host: ["systemctl restart fanfare@1": { _ = try await fleet.startWorker() }]
                )
                try await fleet.allIsWell()
            }
        }

        @Test func `a queue that was deleted is named, and the topology's repair brings its consumers back`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let lane = BrokerNames.workQueue(Lane(provider: .apns, urgency: .bulk))
                try await PrivateBroker.manage(
                    "DELETE",
                    "/api/queues/\(fleet.endpoint.virtualHost)/\(lane)",
                    body: nil
                )
                let text = try await fleet.told(.queuesMissing)
                #expect(text.contains("fanfare topology apply"), "\(text)")
                let book = Runbook(fleet: fleet)
                #expect(try await book.check("queues_missing").contains(lane))
                try await book.remedy("queues_missing")
                try await fleet.allIsWell()
            }
        }

        @Test func `a worker whose clock is an hour off is named, and is well when the clock is right`() async throws {
            let server = try PrivatePostgreSQL.shared.get()
            try await PrivateFleet.with(postgreSQL: server, clockSkewMost: 100_000) { fleet in
                _ = try await fleet.startWorker()
                let clock = try ShiftedClock(in: fleet.folder)
                try clock.set(ahead: 3600)
                let second = try await fleet.startWorker(environment: clock.environment())
                let text = try await fleet.told(.clock)
                #expect(text.contains("\(second.pid)") && text.contains("NTP"), "\(text)")
                let book = Runbook(fleet: fleet)
                #expect(try await book.check("ClockWrong").contains("\(second.pid)"))
                #expect(try await fleet.run("doctor", "--offline").exit == 1)
                try await book.remedy("ClockWrong", host: ["chronyc makestep": { try clock.set(ahead: 0) }])
                try await fleet.allIsWell()
            }
        }

        @Test func `a parked message of ours needs a person, and a refused job of a producer does not`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", list: "nobody"))
                try await eventually("the refusal is told apart", within: .seconds(15)) {
                    let outcome = try await fleet.run("status", "--json")
                    let document = try #require(JSONReader.read(Array(outcome.output.utf8)).value)
                    return document["refused_jobs"] == .number(JSONNumber(1)) && outcome.exit == 0
                }
                let garbage = OutboundMessage(
                    exchange: BrokerNames.work,
                    routingKey: "apns.bulk",
                    properties: MessageProperties(),
                    body: Array("not a shard".utf8)
                )
                #expect(try await fleet.broker { await $0.publish(garbage) } == .confirmed)
                let text = try await fleet.told(.parked)
                #expect(text.contains("1 message is parked: see fanfare parked list"), "\(text)")
                let listed = try await fleet.run("parked", "list", "--json")
                let rows = try #require(JSONReader.read(Array(listed.output.utf8)).value?.array)
                // The latest is ours.
                let ids = rows.compactMap { $0["id"]?.integer ?? $0["id"]?.string.flatMap { Int64($0) } }
                let number = String(try #require(ids.max()))
                let book = Runbook(fleet: fleet)
                #expect(try await book.check("Parked", id: number).contains(number))
                try await book.remedy("Parked", id: number)
                try await fleet.allIsWell()
            }
        }

        @Test func `a campaign that Apple throttles says so with how many wait and until when, and needs nobody`()
            async throws
        {
            try await PrivateFleet.with(faults: ["rules": "4290=TooManyRequests"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", TestDevices.tokens(100, prefix: "4290")))
                let (reason, codes) = try await eventually("the campaign says why", within: .seconds(15)) {
                    let outcome = try await fleet.run("campaign", "status", "derby", "--json")
                    guard
                        let document = JSONReader.read(Array(outcome.output.utf8)).value,
                        document["retry_reasons"]?["TooManyRequests"] == .number(JSONNumber(100)),
                        let reason = document["state_reason"]?.string
                    else { return nil as (String, [String])? }
                    return (reason, document["state_codes"]?.array?.compactMap(\.string) ?? [])
                }
                #expect(codes.contains("throttled") && reason.contains("TooManyRequests"), "\(reason)")
                #expect(try await fleet.health().exit == 0)
                let book = Runbook(fleet: fleet)
                #expect(try await book.check("throttled", id: "derby").contains("TooManyRequests"))
                try await fleet.simulate("rules", "")
                #expect(try await fleet.completed("derby", within: .seconds(120)).counts.accepted == 100)
                try await fleet.allIsWell()
            }
        }
    }
}
