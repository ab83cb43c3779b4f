import Campaigns
import Delivery
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// The results of campaigns when no process dies.
    @Suite("Sending")
    struct Sending {
        @Test func `five thousand devices of a foreign producer have one outcome each, as the peer counts`()
            async throws
        {
            let faults = ["rules": "dead=dead,4290=once-429", "latency": "1-5"]
            try await PrivateFleet.with(faults: faults) { fleet in
                _ = try await fleet.startWorker()
                let tokens =
                    TestDevices.tokens(4700) + TestDevices.tokens(200, prefix: "dead")
                    + TestDevices.tokens(100, prefix: "4290")
                try await fleet.publish(TestJob("derby", tokens))
                let status = try await fleet.completed("derby")
                #expect(status.audience == 5000)
                #expect(status.counts.accepted == 4800)
                #expect(status.counts.invalid == 200)
                #expect(status.counts.total == 5000 && status.pending.total == 0)
                #expect(status.attempts == 5100)
                #expect(status.reasons["Unregistered"] == 200)
                let devices = try await fleet.devices("derby")
                #expect(Set(devices.map(\.token)) == Set(tokens))
                #expect(devices.differing.isEmpty)
                #expect(fleet.simulator.statistics.requests == 5100)
            }
        }

        @Test func `C3: the same job again is known, and another job under its id is a conflict`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let listener = try await EventListener(fleet)
                let job = TestJob("derby", TestDevices.tokens(600))
                try await fleet.publish(job)
                let first = try await fleet.completed("derby")
                try await fleet.publish(job)
                let answers = try await listener.events("campaign.accepted", of: "derby", count: 2)
                #expect(answers[0].json["data"]?["repeat"] == nil)
                #expect(answers[1].json["data"]?["repeat"] == .bool(true))
                try await fleet.publish(TestJob("derby", TestDevices.tokens(7, prefix: "b")))
                let refusals = try await listener.events("campaign.refused", of: "derby")
                #expect(refusals[0].json["data"]?["type"] == "urn:fanfare:problem:campaign-conflict")
                let parked = try await eventually("the conflict is parked") { try await fleet.parked().first }
                #expect(parked.reason == "CampaignConflict")
                #expect(parked.campaign == "derby")
                #expect(try await fleet.status("derby") == first)
                #expect(fleet.simulator.statistics.requests == 600)
                await listener.close()
            }
        }

        @Test func `seven of five hundred failing once make one retry shard of those seven`() async throws {
            try await PrivateFleet.with(faults: ["rules": "5030=once-503"]) { fleet in
                _ = try await fleet.startWorker()
                let failing = TestDevices.tokens(7, prefix: "5030")
                try await fleet.publish(TestJob("derby", TestDevices.tokens(493) + failing))
                try await eventually("a shard on the rung") { try await fleet.waiting(on: .seconds5) == 1 }
                let waiting = try await eventually("the confirm is noted") {
                    let rows = try await fleet.rows("derby")
                    return rows.last?.state == .out ? rows : nil
                }
                try #require(waiting.count == 2)
                #expect(waiting[0].state == .settled)
                #expect(waiting[1].count == 7)
                #expect(waiting[1].positions == (493..<500).map { UInt16($0) })
                #expect(waiting[1].attempt == 2)
                #expect(waiting[1].rung == .seconds5)
                #expect(try await fleet.status("derby")?.pending.retrying == 7)

                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 500)
                #expect(status.attempts == 507)
                #expect(try await fleet.rows("derby").count == 2)
                let devices = try await fleet.devices("derby")
                #expect(devices.differing.isEmpty)
                #expect(Set(devices.filter { $0.requests == 2 }.map(\.token)) == Set(failing))
            }
        }

        @Test func `a shard is acknowledged only when its retry shard is confirmed, as seen on the wire`() async throws
        {
            try await PrivateFleet.with(faults: ["rules": "5030=once-503"]) { fleet in
                try await fleet.tapped { tap in
                    _ = try await fleet.startWorker()
                    tap.holdConfirms(ofExchange: "fanfare.retry.")
                    try await fleet.publish(
                        TestJob("derby", TestDevices.tokens(493) + TestDevices.tokens(7, prefix: "5030"))
                    )
                    try await eventually("a shard on the rung") { try await fleet.waiting(on: .seconds5) == 1 }
                    let rows = try await fleet.rows("derby")
                    try #require(rows.count == 2)
                    let (parent, child) = (
                        rows[0].id.messageID(generation: rows[0].generation),
                        rows[1].id.messageID(generation: rows[1].generation)
                    )
                    // The worker goes on with other shards and acknowledges them.
                    try await fleet.publish(TestJob("second", TestDevices.tokens(500, prefix: "b")))
                    try await eventually("another shard is acknowledged") {
                        tap.notes.contains { note in
                            guard case .acknowledged(let id) = note else { return false }
                            return id.contains("#") && id != parent
                        }
                    }
                    #expect(!tap.notes.contains(.acknowledged(parent)))
                    tap.release()

                    #expect(try await fleet.completed("derby").counts.accepted == 500)
                    let notes = tap.notes
                    let order = [
                        notes.firstIndex(of: .delivered(parent)),
                        notes.firstIndex { note in
                            guard case .published(child, let exchange) = note else {
                                return false
                            }
                            return exchange.hasPrefix("fanfare.retry.5s.")
                        },
                        notes.firstIndex(of: .confirmed(child)),
                        notes.firstIndex(of: .acknowledged(parent)),
                        notes.firstIndex(of: .delivered(child)),
                    ].compactMap(\.self)
                    #expect(order.count == 5 && order == order.sorted(), "\(notes)")
                }
            }
        }

        @Test func `tokens that were called dead get no second campaign`() async throws {
            try await PrivateFleet.with(faults: ["rules": "dead=dead", "dead_since": "60"]) { fleet in
                _ = try await fleet.startWorker()
                let dead = TestDevices.tokens(100, prefix: "dead")
                let alive = TestDevices.tokens(900)
                try await fleet.putList("fans", alive + dead)
                try await fleet.publish(TestJob("first", list: "fans"))
                #expect(try await fleet.completed("first").counts.invalid == 100)
                #expect(fleet.simulator.statistics.requests == 1000)

                try await fleet.publish(TestJob("second", list: "fans"))
                let second = try await fleet.completed("second")
                #expect(second.counts.accepted == 900)
                #expect(second.counts.invalid == 100)
                #expect(second.attempts == 900)
                #expect(fleet.simulator.statistics.requests == 1900)

                try await fleet.publish(TestJob("third", Array(dead.prefix(10) + alive.prefix(10))))
                let third = try await fleet.completed("third")
                #expect(third.counts.accepted == 10)
                #expect(third.counts.invalid == 10)
                #expect(fleet.simulator.statistics.requests == 1910)
                #expect(dead.allSatisfy { fleet.simulator.counts(ofToken: $0).requests == 1 })
            }
        }

        @Test func `an urgent job of three devices goes out by the short way`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                var job = TestJob("alarm", TestDevices.tokens(3)).delivered(["urgency": "urgent"])
                job.isUrgent = true
                try await fleet.publish(job)
                #expect(try await fleet.completed("alarm").counts.accepted == 3)
                #expect(try await fleet.devices("alarm").differing.isEmpty)
            }
        }
    }
}
