import AMQP
import Campaigns
import Delivery
import Foundation
import Glibc
import Operations
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// `fanfare app reload`, and apps that are new.
    @Suite("Reload orders")
    struct ReloadOrders {
        private static let key = "SIMKEY0001"

        @Test func `a new app needs no restart, a worker that slept answers when it wakes, and a refused key is named`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let ours = URL(fileURLWithPath: fleet.folder + "/apps.yaml")
                let theirs = URL(fileURLWithPath: fleet.folder + "/theirs.yaml")
                try Data(contentsOf: ours).write(to: theirs)
                let worker = try await fleet.startWorker()
                // It takes no jobs and no shards, so nobody waits for it, and it has an apps file of its own.
                let sleeper = try await fleet.startWorker(
                    roles: "planner",
                    environment: ["FANFARE_APPS_FILE": theirs.path]
                )
                try await fleet.freeze(sleeper)
                try fleet.writeApps([(PrivateFleet.app, Self.key), ("cup", Self.key)])
                try Data(contentsOf: ours).write(to: theirs)

                // The wait ends when the sleeper no longer counts as live.
                let first = try await fleet.run("app", "reload", "--wait", "5m", "--json")
                #expect(first.exit == 75, "\(first)")
                let taken = try answer(of: worker, in: first)
                #expect(taken["answer"] == "taken_over" && taken["files"]?["new"]?.array == ["cup"], "\(first)")
                #expect(taken["files"]?["unchanged"]?.integer == 1)
                #expect(try answer(of: sleeper, in: first)["answer"] == "not_answered")

                var job = TestJob("final", TestDevices.tokens(20))
                job.app = "cup"
                try await fleet.publish(job)
                #expect(try await fleet.completed("final", app: "cup").counts.accepted == 20)

                sleeper.signal(SIGCONT)
                let order = try #require(try await fleet.ledger.read { try $0.reloadOrder() })
                try await eventually("the sleeper answers the order that it slept through") {
                    let reload = try await known(sleeper, fleet)?.health?.reload
                    return reload?.order == order.number && reload?.new == ["cup"]
                }

                let text = try String(contentsOf: ours, encoding: .utf8)
                let broken = text.replacingOccurrences(
                    of: "AuthKey_\(Self.key).p8\n      endpoint",
                    with: "lost.p8\n      endpoint"
                )
                try Data(broken.utf8).write(to: theirs)
                let second = try await fleet.run("app", "reload", "--wait", "5m", "--json")
                #expect(second.exit == 1, "\(second)")
                #expect(try answer(of: worker, in: second)["answer"] == "taken_over")
                let refused = try answer(of: sleeper, in: second)
                let refusals = refused["files"]?["refused"]?.array ?? []
                #expect(refused["answer"] == "refused", "\(second)")
                let named = refusals.first { $0["app"] == "cup" }
                #expect(named?["key"] == "apps.cup.apns.key_file", "\(second)")
                #expect(named?["reason"]?.string?.contains("lost.p8 does not exist") == true, "\(second)")
                // A person has to act, so the status says the same.
                let status = try await fleet.run("status", "--json")
                let problems = try document(status)["problems"]?.array ?? []
                let told = problems.first { $0["code"] == "reload_refused" }
                #expect(status.exit == 1 && told?["cause"]?.string?.contains("lost.p8") == true, "\(status)")

                let runbook = Runbook(fleet: fleet)
                #expect(try await runbook.check("reload_refused").contains("lost.p8"))
                try Data(text.utf8).write(to: theirs)
                try await runbook.remedy("reload_refused")
                let mended = try await fleet.run("status", "--json").output
                #expect(!mended.contains("reload_refused"), "\(mended)")
            }
        }

        @Test func `an app that is gone is sent for no more in mid-campaign, and its campaign ends when it is back`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "10", "streams": "50"]) { fleet in
                let worker = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(10_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 1000)
                try fleet.writeApps([("cup", Self.key)])
                let gone = try await fleet.run("app", "reload", "--wait", "5m", "--json")
                #expect(gone.exit == 0, "\(gone)")
                let files = try answer(of: worker, in: gone)["files"]
                #expect(files?["gone"]?.array == ["news (apns)"] && files?["new"]?.array == ["cup"], "\(gone)")
                try await fleet.says("no_credentials", of: "derby")
                let left = try await eventually("what was under way is answered and saved") {
                    let status = try #require(try await fleet.status("derby"))
                    return status.pending.sending + status.pending.queued == 0 ? status : nil
                }
                // Each request has been answered, and none was made for nothing.
                #expect(left.counts.accepted == Int(fleet.simulator.statistics.requests))
                #expect(left.pending.held > 0 && left.law == .holds)

                try fleet.writeApps([(PrivateFleet.app, Self.key), ("cup", Self.key)])
                #expect(try await fleet.run("app", "reload", "--wait", "5m").exit == 0)
                #expect(try await fleet.completed("derby").counts.accepted == 10_000)
                #expect(fleet.simulator.statistics.requests == 10_000)
            }
        }

        @Test func `workers of the version before hear of an order of the command and of the HTTP API`() async throws {
            try await PrivateFleet.with { fleet in
                let port = try await fleet.startServer()
                try await fleet.broker { client in
                    // As a worker does: a queue of its own for what all are told.
                    try await client.call(.declareQueue(name: "ear", exclusive: true))
                    try await client.call(.bindQueue(queue: "ear", exchange: BrokerNames.control, routingKey: ""))
                    try await client.call(.consume(queue: "ear", consumerTag: "ear", noAck: true))
                    var messages = client.messages.makeAsyncIterator()
                    for number in 1...2 {
                        if number == 1 {
                            // No worker is asked, so nobody is waited for.
                            #expect(try await fleet.run("app", "reload").exit == 0)
                        } else {
                            let answer = try await Phone.Edge(port: port).ask("POST", "/v1/reload", bearer: "")
                            #expect(answer.status == 200)
                        }
                        let message = try #require(await messages.next())
                        #expect(message.properties.type == ControlHint.reloadType)
                        #expect(message.body == Array(String(number).utf8))
                    }
                }
            }
        }

        private func document(_ outcome: FanfareProcess.Outcome) throws -> JSONValue {
            try #require(JSONReader.read(Array(outcome.output.utf8)).value, "\(outcome)")
        }

        private func answer(of worker: FanfareProcess, in outcome: FanfareProcess.Outcome) throws -> JSONValue {
            let answers = try document(outcome)["answers"]?.array ?? []
            return try #require(
                answers.first { $0["worker"]?.string?.hasSuffix(".\(worker.pid)") == true },
                "\(outcome)"
            )
        }

        private func known(_ worker: FanfareProcess, _ fleet: PrivateFleet) async throws -> WorkerRecord? {
            let ledger = fleet.ledger
            return try await ledger.read { try $0.knownWorkers(now: ledger.now()) }
                .first { $0.name.hasSuffix(".\(worker.pid)") }
        }
    }
}
