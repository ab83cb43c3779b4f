import Campaigns
import Delivery
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// Messages set aside for a person, and the person's decisions.
    @Suite("Parking")
    struct Parking {
        @Test func `a shard that the broker has parked is replayed, another one discarded, every device counted`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let planner = try await fleet.startWorker(roles: "intake,planner")
                try await fleet.putList("fans", TestDevices.tokens(600))
                try await fleet.publish(TestJob("derby", list: "fans"))
                let lane = BrokerNames.workQueue(Lane(provider: .apns, urgency: .bulk))
                try await eventually("both shards are out") {
                    try await fleet.broker { try await $0.counts(of: lane)?.ready == 2 }
                }
                // The policy's limit is 20 deliveries, none of which is acknowledged. Requeuing takes effect after the
                // API's answer, so a call may find no message yet: it is not counted but repeated.
                try await eventually("the broker has parked both") {
                    try await PrivateBroker.requeueAll(lane, fleet.endpoint.virtualHost)
                    return try await fleet.status("derby")?.pending.parked == 600
                }
                let listed = try await fleet.run("parked", "list", "--campaign", "news/derby", "--json")
                let rows = try #require(JSONReader.read(Array(listed.output.utf8)).value?.array)
                #expect(rows.map { $0["reason"]?.string } == ["DeliveryLimit", "DeliveryLimit"])
                #expect(rows.allSatisfy { $0["app"]?.string == "news" && $0["campaign"]?.string == "derby" })
                let status = try #require(try await fleet.status("derby"))
                #expect(status.law == .holds && status.stateReason == "parked")
                planner.terminate()
                _ = try await planner.ended(within: .seconds(30))
                _ = try await fleet.startWorker()

                func id(ofDevices count: Int) throws -> String {
                    let row = rows.first { $0["devices"] == .number(JSONNumber(count)) }
                    return try #require(row?["id"]?.string)
                }
                let dry = try await fleet.run("parked", "replay", "--all", "--dry-run")
                #expect(dry.exit == 0 && dry.output.split(separator: "\n").count == 2)
                let replayed = try await fleet.run("parked", "replay", try id(ofDevices: 500))
                #expect(replayed.exit == 0, "\(replayed.errors)")
                try await eventually("its devices are sent to") {
                    try await fleet.status("derby")?.counts.accepted == 500
                }
                #expect(try await fleet.run("parked", "discard", "--all").exit == 64)
                let discarded = try await fleet.run("parked", "discard", try id(ofDevices: 100), "--yes", "--json")
                #expect(discarded.exit == 0, "\(discarded.errors)")
                #expect(discarded.output.contains("\"failed\""))
                let last = try await fleet.completed("derby")
                #expect(last.counts.accepted == 500 && last.counts.failed == 100)
                #expect(last.reasons == ["Parked": 100])
                #expect(try await fleet.devices("derby").differing.isEmpty)
                #expect(fleet.simulator.statistics.requests == 500)
                #expect(try await fleet.parked().isEmpty)
            }
        }

        @Test func `a job that was refused for want of a list is replayed when the list is there`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", list: "fans"))
                let parked = try await eventually("it is parked") { try await fleet.parked().first }
                #expect(try await fleet.run("parked", "replay", "\(parked.id)").exit == 0)
                let again = try await eventually("it is refused and parked again") {
                    try await fleet.parked().first { $0.firstAt > parked.firstAt || $0.count > parked.count }
                }
                try await fleet.putList("fans", TestDevices.tokens(3))
                #expect(try await fleet.run("parked", "replay", "\(again.id)").exit == 0)
                #expect(try await fleet.completed("derby").counts.accepted == 3)
                #expect(try await fleet.parked().isEmpty)
            }
        }
    }
}
