import Campaigns
import Delivery
import Operations
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Campaigns to devices of the registry.
    @Suite("Segment campaigns")
    struct SegmentCampaigns {
        private static func registration(_ number: Int, token: String) -> DeviceRegistration {
            DeviceRegistration(
                device: Device(
                    token: token,
                    id: "d\(number)",
                    locale: ["es-ES", "en", nil][number % 3],
                    timeZone: number % 2 == 0 ? "Europe/Madrid" : nil
                ),
                user: .user("u\(number / 2)"),
                tags: .set(number % 5 == 0 ? ["sport", "muted"] : ["sport"]),
                attributes: ["level": .number(JSONNumber(number % 10))],
                permission: number % 7 == 0 ? .denied : .authorized
            )
        }

        /// Adds devices to the registry, in pieces as an import does.
        private static func register(_ count: Int, prefix: String = "a", in fleet: PrivateFleet) async throws {
            let tokens = TestDevices.tokens(count, prefix: prefix)
            for start in stride(from: 0, to: count, by: 1000) {
                let batch = (start..<min(start + 1000, count)).map { registration($0, token: tokens[$0]) }
                _ = try await Registry.register(batch, app: PrivateFleet.app, in: fleet.ledger)
            }
        }

        private static func job(_ id: String, _ audience: KeyValuePairs<String, JSONValue?>) -> TestJob {
            var job = TestJob(id, [])
            job.audience = .object(audience)
            return job
        }

        @Test func `every device that is meant gets one push, and nobody who is left out`() async throws {
            try await PrivateFleet.with(faults: ["rules": "dead=dead"]) { fleet in
                try await Self.register(3_000, in: fleet)
                let dead = TestDevices.tokens(10, prefix: "dead")
                for (number, token) in dead.enumerated() {
                    let registration = DeviceRegistration(
                        device: Device(token: token, id: "dead\(number)"),
                        tags: .set(["sport"])
                    )
                    _ = try await Registry.register([registration], app: PrivateFleet.app, in: fleet.ledger)
                }
                _ = try await fleet.startWorker()
                let job = Self.job(
                    "derby",
                    [
                        "segment": "sport && !(muted || level >= 8)",
                        "exclude": .object(["users": .array(["u1", "u2"])]),
                    ]
                )
                try await fleet.publish(job)
                let status = try await fleet.completed("derby")
                let all = TestDevices.tokens(3_000)
                let meant = (0..<3_000).filter { $0 % 5 != 0 && $0 % 10 < 8 && ![2, 3, 4, 5].contains($0) }
                let sent = meant.filter { $0 % 7 != 0 }
                #expect(status.audience == meant.count + 10)
                #expect(status.counts.accepted == sent.count && status.counts.invalid == 10)
                #expect(status.counts.skipped == meant.count - sent.count)
                #expect(status.reasons["OptedOut"] == meant.count - sent.count)
                let isSent = Set(sent)
                for number in 0..<3_000 {
                    let seen = fleet.simulator.counts(ofToken: all[number])
                    #expect(seen.requests == (isSent.contains(number) ? 1 : 0), "device \(number)")
                }
                // Dead tokens are marked in the registry, and no later campaign tries them again.
                try await eventually("the deaths are learnt") {
                    try await fleet.ledger.read { try $0.device(app: PrivateFleet.app, installation: "dead0") }?.state
                        == .dead
                }
                try await fleet.publish(
                    Self.job("again", ["users": .array(["u500", "u500", "nobody"]), "at_most": 5])
                )
                let users = try await fleet.completed("again")
                #expect(users.audience == 3 && users.reasons["NoToken"] == 1 && users.law == .holds)
                try await fleet.publish(Self.job("all", ["everyone": true, "at_most": 100]))
                let paused = try await eventually("it is paused") {
                    let status = try await fleet.status("all")
                    return status?.state == "paused" ? status : nil
                }
                #expect(paused.stateReason == "at_most" && paused.audience == 3_000)
                #expect(fleet.simulator.counts(ofToken: dead[0]).requests == 1)
            }
        }

        @Test func `what the registry knows of a device is in its text`() async throws {
            try await PrivateFleet.with(requestsKept: 40) { fleet in
                try await Self.register(30, in: fleet)
                _ = try await fleet.startWorker()
                var job = Self.job("derby", ["segment": "sport && level >= 1"])
                job.content = .object([
                    "title": "Level {{ level }}",
                    "localizations": .object(["es": .object(["title": "Nivel {{ level | plus: 1 }}"])]),
                ])
                try await fleet.publish(job)
                let status = try await fleet.completed("derby")
                let meant = (0..<30).filter { $0 % 10 >= 1 && $0 % 7 != 0 }
                #expect(status.counts.accepted == meant.count)
                let tokens = TestDevices.tokens(30)
                let requests = fleet.simulator.lastRequests
                #expect(requests.count == meant.count)
                for number in meant {
                    let request = try #require(requests.first { $0.path.hasSuffix(tokens[number]) })
                    let title = number % 3 == 0 ? "Nivel \(number % 10 + 1)" : "Level \(number % 10)"
                    let payload = JSONReader.read(request.payload).value
                    #expect(payload?["aps"]?["alert"]?["title"]?.string == title, "device \(number)")
                }
            }
        }

        @Test func `sent while it is frozen by planners that die, every device gets it once`() async throws {
            try await PrivateFleet.with { fleet in
                let count = 60_000
                try await Self.register(count, in: fleet)
                // The senders live, so that only a planner's mistake could repeat a push.
                _ = try await fleet.startWorker(roles: "intake,sender")
                var job = Self.job("derby", ["everyone": true, "exclude": .object(["users": .array(["u1"])])])
                job.delivery = .object(["ttl": 600])
                try await fleet.publish(job)
                try await eventually("it is accepted") { try await fleet.status("derby") != nil }
                var audience = 0
                for _ in 0..<4 {
                    let planner = try await fleet.startWorker(roles: "planner")
                    let last = audience
                    audience = try await eventually("more of it is frozen, or all") {
                        guard let status = try await fleet.status("derby") else { return nil }
                        #expect(status.law == .holds)
                        let isMore = status.audience > last || (status.audience > 0 && !status.isPlanning)
                        return isMore ? status.audience : nil
                    }
                    planner.kill()
                }
                _ = try await fleet.startWorker(roles: "planner")
                let status = try await fleet.completed("derby", within: .seconds(120))
                let meant = (0..<count).filter { $0 / 2 != 1 }
                let denied = meant.count { $0 % 7 == 0 }
                #expect(status.audience == meant.count && !status.isPlanning && status.law == .holds)
                #expect(status.counts.skipped == denied && status.counts.accepted == meant.count - denied)
                #expect(fleet.simulator.statistics.requests == UInt64(meant.count - denied))
                let number = try await fleet.number("derby")
                let history = try await fleet.ledger.read { reader in
                    try reader.history(campaign: number, now: Timestamp(milliseconds: 0))
                }
                let kinds = history.map(\.kind).filter { [.started, .frozen, .completed].contains($0) }
                #expect(kinds == [.started, .frozen, .completed])
            }
        }

        @Test func `fired while its audience is still being materialised, every device gets it once`() async throws {
            try await PrivateFleet.with { fleet in
                let count = 20_000
                try await Self.register(count, in: fleet)
                // Nobody materializes the audience until the campaign is fired.
                let intake = try await fleet.startWorker(roles: "intake")
                var job = Self.job("derby", ["segment": "sport"])
                job.delivery = .object(["hold": true, "ttl": 600])
                try await fleet.publish(job)
                try await eventually("it is accepted") { try await fleet.status("derby") != nil }
                #expect(try await fleet.status("derby")?.state == "planning")
                let fired = try await fleet.run("campaign", "fire", "derby")
                #expect(fired.exit == 0, "\(fired.errors)")
                let again = try await fleet.run("campaign", "fire", "derby")
                #expect(again.exit == 0, "\(again.errors)")
                for _ in 1...2 { _ = try await fleet.startWorker() }
                let status = try await fleet.completed("derby")
                let denied = (0..<count).count { $0 % 7 == 0 }
                #expect(status.audience == count && status.counts.skipped == denied)
                #expect(status.counts.accepted == count - denied)
                try await fleet.expectOnce(status, count - denied)
                #expect(intake.isRunning)
            }
        }

        @Test func `exclude works on lists, and an empty audience fails the campaign`() async throws {
            try await PrivateFleet.with { fleet in
                try await Self.register(20, in: fleet)
                try await fleet.putList("fans", TestDevices.tokens(40))
                try await fleet.putList("gone", TestDevices.tokens(30))
                _ = try await fleet.startWorker()
                try await fleet.publish(Self.job("one", ["list": "fans", "exclude": .object(["list": "gone"])]))
                #expect(try await fleet.completed("one").counts.accepted == 10)
                try await fleet.publish(Self.job("two", ["list": "fans", "exclude": .object(["segment": "sport"])]))
                #expect(try await fleet.completed("two").counts.accepted == 20)
                try await fleet.publish(Self.job("three", ["segment": "hockey"]))
                let empty = try await fleet.completed("three")
                #expect(empty.state == "failed" && empty.stateReason?.contains("empty") == true && empty.audience == 0)
                try await fleet.publish(Self.job("four", ["segment": "sport", "exclude": .object(["list": "none"])]))
                try await eventually("it is refused") {
                    try await fleet.ledger.read { try $0.refusal(app: PrivateFleet.app, id: "four") } != nil
                }
            }
        }

        @Test func `a worker killed while an audience is materialised loses nobody and repeats nobody`() async throws {
            try await PrivateFleet.with { fleet in
                let count = FullSuite.isOn ? 60_000 : 24_000
                try await Self.register(count, in: fleet)
                let first = try await fleet.startSmallWorker()
                try await fleet.publish(Self.job("derby", ["segment": "sport || muted"]))
                try await eventually("it is being materialised") {
                    guard let status = try await fleet.status("derby") else { return false }
                    return status.state == "planning" || status.audience > 0
                }
                let bound = try await first.metrics().repeatsMost
                first.kill()
                let before = try #require(try await fleet.status("derby"))
                #expect(before.law == .holds)
                _ = try await fleet.startWorker()
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.audience == count)
                #expect(status.counts.skipped == (0..<count).count { $0 % 7 == 0 })
                let devices = try await fleet.devices("derby")
                #expect(devices.count == count && Set(devices.map(\.token)).count == count)
                let sent = devices.filter { $0.outcome == .accepted }
                #expect(sent.count == status.counts.accepted)
                // If killed before anything was sent, every device has one request; otherwise the requests in flight
                // may repeat.
                if before.audience == 0 { #expect(sent.allSatisfy { $0.requests == 1 }) }
                #expect(sent.allSatisfy { $0.requests >= 1 })
                #expect(bound < count / 2 && devices.repeats <= bound + status.unknownResent)
            }
        }
    }
}
