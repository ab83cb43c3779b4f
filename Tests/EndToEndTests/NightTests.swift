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
    /// needed. After the remedy all is well by itself.
    @Suite("Night")
    struct Night {
        /// The output of `status --json`.
        private func status(
            _ fleet: PrivateFleet,
            _ environment: [String: String] = [:]
        ) async throws -> (exit: Int32, problems: [JSONValue]) {
            let arguments = ["status", "--json", "--config", "fanfare.yaml"]
            let outcome = try await FanfareProcess.run(arguments, folder: fleet.folder, environment: environment)
            let document = try #require(
                JSONReader.read(Array(outcome.output.utf8)).value,
                "\(outcome.output)\(outcome.errors)"
            )
            return (outcome.exit, document["problems"]?.array ?? [])
        }

        /// Waits until status tells a problem, with the exit status that belongs to it, and returns the cause and the
        /// remedy in one line.
        private func told(
            _ code: HealthProblem.Code,
            needsPerson: Bool = true,
            _ fleet: PrivateFleet,
            _ environment: [String: String] = [:]
        ) async throws -> String {
            try await eventually("status tells \(code.rawValue)", within: .seconds(15)) {
                let (exit, problems) = try await status(fleet, environment)
                guard
                    let problem = problems.first(where: { $0["code"]?.string == code.rawValue }),
                    let cause = problem["cause"]?.string, let remedy = problem["remedy"]?.string,
                    problem["needs_person"] == .bool(needsPerson)
                else { return nil }
                // 69 where the command itself could not reach what it asks.
                if needsPerson { #expect(exit == (code == .broker ? 69 : 1)) }
                #expect(!cause.isEmpty && !remedy.isEmpty)
                return "\(cause): \(remedy)"
            }
        }

        /// Waits until status tells no problem and ends with 0.
        private func allIsWell(_ fleet: PrivateFleet, _ environment: [String: String] = [:]) async throws {
            var last: [JSONValue] = []
            do {
                try await eventually("all is well by itself") {
                    let (exit, problems) = try await status(fleet, environment)
                    last = problems
                    return exit == 0 && problems.isEmpty
                }
            } catch {
                Issue.record("\(last)")
                throw error
            }
        }

        @Test(.hurtsItsBroker) func `a broker that was killed is named, and the fleet comes back with it`() async throws
        {
            try await PrivateFleet.with { fleet in
                let node = try await PrivateBroker.node()
                _ = try await fleet.startWorker()
                try await allIsWell(fleet)
                node.kill()
                let text = try await told(.broker, fleet)
                #expect(text.contains("start it"), "\(text)")
                try await node.restart()
                try await allIsWell(fleet)
            }
        }

        @Test func `a key that Apple refuses is named with its app, and the campaign goes on with the right one`()
            async throws
        {
            try await PrivateFleet.with(faults: ["rules": "cafe=InvalidProviderToken"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", TestDevices.tokens(100, prefix: "cafe")))
                let text = try await told(.credentials, fleet)
                #expect(text.contains("news") && text.contains("InvalidProviderToken"), "\(text)")
                let doctor = try await fleet.run("doctor", "--offline")
                #expect(doctor.exit == 1 && doctor.output.contains("InvalidProviderToken"), "\(doctor.output)")
                _ = try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                    try faults.set("rules", to: "")
                }
                #expect(try await fleet.run("campaign", "resume", "derby").exit == 0)
                #expect(try await fleet.completed("derby").counts.accepted == 100)
                try await allIsWell(fleet)
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
                let text = try await told(.ledgerWrites, fleet, environment)
                #expect(text.contains("full"), "\(text)")
                try await eventually("the worker is not ready", within: .seconds(15)) {
                    let answer = try await worker.probe("/readyz")
                    return answer.status == 503 && String(decoding: answer.body, as: UTF8.self).contains("ledger")
                }
                let arguments = ["doctor", "--offline", "--config", "fanfare.yaml"]
                let doctor = try await FanfareProcess.run(arguments, folder: fleet.folder, environment: environment)
                #expect(doctor.exit == 1 && doctor.output.contains("full"), "\(doctor.output)\(doctor.errors)")
                try disk.set(full: false)
                #expect(try await fleet.completed("derby").counts.accepted == 3000)
                #expect(try await fleet.devices("derby").differing.isEmpty)
                try await allIsWell(fleet, environment)
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
                let text = try await told(.appMissing, fleet)
                #expect(text.contains("\(lacking.pid)") && text.contains("news"), "\(text)")
                lacking.terminate()
                #expect(try await lacking.ended(within: .seconds(30)).exit == 0)
                try await allIsWell(fleet)
            }
        }

        @Test func `a campaign that its content's guard has paused is named, with how it goes on`() async throws {
            try await PrivateFleet.with(faults: ["rules": "cafe=BadTopic"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(1500, prefix: "cafe"))
                try await fleet.publish(TestJob("derby", list: "fans").delivered(["per_second": 180]))
                let text = try await told(.campaignPaused, fleet)
                #expect(text.contains("news/derby") && text.contains("fanfare campaign resume"), "\(text)")
                _ = try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                    try faults.set("rules", to: "")
                }
                #expect(try await fleet.run("campaign", "resume", "derby").exit == 0)
                let last = try await fleet.completed("derby")
                #expect(last.counts.accepted + last.counts.failed == 1500 && last.counts.accepted > 0)
                try await allIsWell(fleet)
            }
        }

        @Test func `a worker that stopped is named with when it was last heard, and its successor ends the matter`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let lost = try await fleet.startWorker()
                lost.kill()
                let text = try await told(.workerSilent, fleet)
                #expect(text.contains("\(lost.pid)"), "\(text)")
                #expect(try await fleet.run("status").output.contains("last heard"))
                #expect(try await fleet.run("doctor", "--offline").exit == 1)
                _ = try await fleet.startWorker()
                try await allIsWell(fleet)
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
                let text = try await told(.queuesMissing, fleet)
                #expect(text.contains("fanfare topology apply"), "\(text)")
                #expect(try await fleet.run("topology", "apply").exit == 0)
                try await allIsWell(fleet)
            }
        }

        @Test func `a worker whose clock is an hour off is named, and is well when the clock is right`() async throws {
            let server = try PrivatePostgreSQL.shared.get()
            try await PrivateFleet.with(postgreSQL: server, clockSkewMost: 100_000) { fleet in
                _ = try await fleet.startWorker()
                let clock = try ShiftedClock(in: fleet.folder)
                try clock.set(ahead: 3600)
                let second = try await fleet.startWorker(environment: clock.environment())
                let text = try await told(.clock, fleet)
                #expect(text.contains("\(second.pid)") && text.contains("NTP"), "\(text)")
                #expect(try await fleet.run("doctor", "--offline").exit == 1)
                try clock.set(ahead: 0)
                try await allIsWell(fleet)
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
                let text = try await told(.parked, fleet)
                #expect(text.contains("1 message is parked: see fanfare parked list"), "\(text)")
                #expect(try await fleet.run("parked", "discard", "--all", "--yes").exit == 0)
                try await allIsWell(fleet)
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
                #expect(try await status(fleet).exit == 0)
                _ = try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                    try faults.set("rules", to: "")
                }
                #expect(try await fleet.completed("derby", within: .seconds(120)).counts.accepted == 100)
                try await allIsWell(fleet)
            }
        }
    }
}
