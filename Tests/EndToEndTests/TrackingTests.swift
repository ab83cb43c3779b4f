import AMQP
import Campaigns
import Delivery
import Foundation
import Operations
import Seeds
import Servers
import Store
import Testing
import Transport

extension EndToEnd {
    /// Events of phones, from the broker to the ledger, through the built program.
    @Suite("Tracking")
    struct Tracking {
        private func event(
            _ campaign: UInt32,
            _ device: UInt32,
            _ type: TrackedType,
            _ detail: String = ""
        ) -> TrackingBatch.Entry {
            let tracked = TrackedDevice(
                app: PrivateFleet.app,
                campaign: campaign,
                index: device,
                registered: 1 << 32 | Int64(device + 1)
            )
            return .event(
                TrackingEvent(device: tracked, type: type, surface: .system, detail: detail, at: TestClock.now())
            )
        }

        private func publish(_ batches: [[UInt8]], _ fleet: PrivateFleet) async throws {
            try await fleet.broker { client in
                for body in batches {
                    let result = await client.publish(
                        OutboundMessage(
                            exchange: BrokerNames.tracking,
                            routingKey: "",
                            properties: MessageProperties(type: TrackingBatch.messageType),
                            body: body
                        )
                    )
                    try #require(result == .confirmed)
                }
            }
        }

        private func funnel(_ id: String, _ fleet: PrivateFleet) async throws -> Funnel {
            let number = try await fleet.number(id)
            return try await fleet.ledger.read { try $0.funnel(campaign: number) }
        }

        private func ready(_ fleet: PrivateFleet) async throws -> Int {
            try await fleet.broker { Int(try await $0.counts(of: BrokerNames.trackingQueue)?.ready ?? 0) }
        }

        /// Creates a finished campaign of so many devices; returns its number.
        private func sent(_ id: String, _ devices: Int, _ fleet: PrivateFleet) async throws -> UInt32 {
            try await fleet.putList(id, TestDevices.tokens(devices))
            try await fleet.publish(TestJob(id, list: id))
            _ = try await fleet.completed(id)
            return try await fleet.number(id)
        }

        @Test
        func `the funnel is exact when workers are killed between commit and ack, and events come twice and late`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let sender = try await fleet.startWorker(roles: "intake,planner,sender")
                let number = try await sent("derby", 2_000, fleet)
                sender.terminate()
                _ = try await sender.ended(within: .seconds(30))
                var random = SeededRandom(seed: 17)
                var (entries, expected): ([TrackingBatch.Entry], [Funnel.Step: Set<UInt32>]) = ([], [:])
                for device in 0..<UInt32(2_000) {
                    for (type, share) in [
                        (TrackedType.received, 0.95), (.displayed, 0.8), (.opened, 0.3), (.actioned, 0.1),
                    ]
                    where random.chance(share) {
                        let detail = type == .actioned ? ["LIKE", "MORE"][random.below(2)] : ""
                        entries.append(event(number, device, type, detail))
                        // One in five comes twice.
                        if random.chance(0.2) { entries.append(event(number, device, type, detail)) }
                        expected[Funnel.Step(.system, type), default: []].insert(device)
                        if !detail.isEmpty { expected[Funnel.Step(.system, type, detail), default: []].insert(device) }
                    }
                }
                entries.shuffle(using: &random)
                let batches = stride(from: 0, to: entries.count, by: 20).map { start in
                    TrackingBatch(Array(entries[start..<min(start + 20, entries.count)])).encoded()
                }
                let all = expected[Funnel.Step(.system, .received)]?.count ?? 0
                for round in 1...4 {
                    let before = try await funnel("derby", fleet)[.system, .received]
                    let worker = try await fleet.startWorker(roles: "tracking")
                    // Each round delivers a new part, and some earlier batches once more.
                    let part = batches.enumerated().filter { $0.offset % 4 < round }.map(\.element)
                    let shuffled = part.shuffled(using: &random)
                    async let published: Void = publish(shuffled, fleet)
                    try await eventually("round \(round): something is counted") {
                        try await funnel("derby", fleet)[.system, .received] > before || before == all
                    }
                    worker.kill()
                    try await published
                }
                _ = try await fleet.startWorker(roles: "tracking")
                try await eventually("the ledger has all of it", within: .seconds(60)) {
                    try await funnel("derby", fleet).devices == expected.mapValues(\.count)
                }
                try await eventually("nothing is left to take") { try await ready(fleet) == 0 }
                #expect(try await funnel("derby", fleet).devices == expected.mapValues(\.count))
                let report = try await fleet.run("campaign", "report", "derby", "--json")
                let json = try #require(JSONReader.read(Array(report.output.utf8)).value)
                #expect(json["accepted"]?.integer == 2_000)
                #expect(
                    json["surfaces"]?["system"]?["opened"]?["devices"]?.integer
                        == expected[.init(.system, .opened)].map { Int64($0.count) }
                )
                let likes = expected[Funnel.Step(.system, .actioned, "LIKE")]?.count ?? 0
                #expect(json["surfaces"]?["system"]?["actioned"]?["actions"]?["LIKE"]?.integer == Int64(likes))
            }
        }

        @Test func `a batch that cannot be read, or is of a later version, is parked, and the others go on`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let number = try await sent("derby", 10, fleet)
                var later = TrackingBatch([event(number, 1, .opened)]).encoded()
                later[4] = 9
                try await publish(
                    [Array("garbage".utf8), later, TrackingBatch([event(number, 2, .opened)]).encoded()],
                    fleet
                )
                try await eventually("the good one is counted") {
                    try await funnel("derby", fleet)[.system, .opened] == 1
                }
                let parked = try await eventually("two are parked") {
                    let parked = try await fleet.parked()
                    return parked.count == 2 ? parked : nil
                }
                #expect(Set(parked.map(\.reason)) == ["MalformedTracking", "UnknownVersion"])
                #expect(parked.allSatisfy { $0.queue == BrokerNames.trackingQueue })
            }
        }

        @Test func `a campaign goes to those who have opened another, and to those who have not`() async throws {
            try await PrivateFleet.with { fleet in
                let tokens = TestDevices.tokens(100)
                let devices = tokens.enumerated().map { number, token in
                    DeviceRegistration(device: Device(token: token, id: "d\(number)"))
                }
                _ = try await Registry.register(devices, app: PrivateFleet.app, in: fleet.ledger)
                _ = try await fleet.startWorker()
                let number = try await sent("derby", 10, fleet)
                var entries: [TrackingBatch.Entry] = []
                for index in 0..<30 {
                    let device = try await fleet.ledger.read {
                        try $0.device(app: PrivateFleet.app, installation: "d\(index)")
                    }
                    let tracked = TrackedDevice(
                        app: PrivateFleet.app,
                        campaign: number,
                        index: UInt32(index),
                        registered: try #require(device?.number)
                    )
                    entries.append(
                        .event(TrackingEvent(device: tracked, type: .opened, surface: .system, at: TestClock.now()))
                    )
                }
                try await publish([TrackingBatch(entries).encoded()], fleet)
                try await eventually("it is counted") { try await funnel("derby", fleet)[.system, .opened] == 30 }
                func send(_ id: String, _ segment: String) async throws -> Int {
                    var job = TestJob(id, [])
                    job.audience = .object(["segment": .string(segment)])
                    try await fleet.publish(job)
                    return try await fleet.completed(id).counts.accepted
                }
                #expect(try await send("fans", "opened(derby, since: 1h)") == 30)
                #expect(try await send("others", "!opened(derby)") == 70)
                #expect(
                    try await send("nobody-since", "opened(derby) && !opened(derby, since: 1h) || opened(fans)") == 0
                )
                // An unknown campaign would count everybody as not having opened it.
                let job =
                    #"{"id": "typo", "app": "news", "audience": {"segment": "!opened(derbi)"}, "content": {"title": "x"}}"#
                try Data(job.utf8).write(to: URL(fileURLWithPath: fleet.folder + "/typo.json"))
                let refused = try await fleet.run("campaign", "send", "typo.json", "--wait", "--json")
                #expect(refused.exit == 65 && refused.errors.contains("unknown_campaign"), "\(refused)")
            }
        }
    }
}
