import Campaigns
import Foundation
import Glibc
import Operations
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Counts per device: frequency caps and badges.
    @Suite("Counting")
    struct Counting {
        private func cap(_ rules: String, in fleet: PrivateFleet) throws {
            let file = URL(fileURLWithPath: fleet.folder + "/apps.yaml")
            let text = "    frequency_cap: \(rules)\n"
            try (try Data(contentsOf: file) + Data(text.utf8)).write(to: file)
        }

        /// Publishes a job to a list, with a tag.
        private func publish(
            _ id: String,
            tag: String,
            _ delivery: KeyValuePairs<String, JSONValue?> = [:],
            in fleet: PrivateFleet
        ) async throws {
            var job = TestJob(id, list: "fans").delivered(delivery)
            job.tags = [tag]
            try await fleet.publish(job)
        }

        @Test func `two of a tag a day: the third ends skipped, ignore passes, and a new rule is taken at SIGHUP`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let before = try Data(contentsOf: URL(fileURLWithPath: fleet.folder + "/apps.yaml"))
                try cap("[{most: 2, per: 1d, tags: [sport]}]", in: fleet)
                let workers = [try await fleet.startWorker(), try await fleet.startWorker()]
                try await fleet.putList("fans", TestDevices.tokens(3000))
                for id in ["one", "two"] {
                    try await publish(id, tag: "sport", in: fleet)
                    #expect(try await fleet.completed(id).counts.accepted == 3000)
                }
                try await publish("three", tag: "sport", in: fleet)
                let third = try await fleet.completed("three")
                #expect(third.counts.skipped == 3000 && third.reasons == ["FrequencyCap": 3000])
                #expect(third.attempts == 0 && third.state == "completed")
                try await publish("weather", tag: "weather", in: fleet)
                #expect(try await fleet.completed("weather").counts.accepted == 3000)
                try await publish("loud", tag: "sport", ["frequency_cap": "ignore"], in: fleet)
                #expect(try await fleet.completed("loud").counts.accepted == 3000)
                #expect(fleet.simulator.statistics.requests == 12_000)

                // An urgent job of a few devices takes the fast path and obeys the cap all the same.
                var urgent = TestJob("urgent", TestDevices.tokens(3)).delivered(["urgency": "urgent"])
                (urgent.tags, urgent.isUrgent) = (["sport"], true)
                try await fleet.publish(urgent)
                #expect(try await fleet.completed("urgent").reasons == ["FrequencyCap": 3])

                try before.write(to: URL(fileURLWithPath: fleet.folder + "/apps.yaml"))
                try cap("[{most: 4, per: 1d, tags: [sport]}]", in: fleet)
                for worker in workers {
                    worker.signal(SIGHUP)
                    try await eventually("the cap is replaced") {
                        worker.errors.contains("an app's frequency cap is replaced")
                    }
                }
                try await publish("more", tag: "sport", in: fleet)
                #expect(try await fleet.completed("more").counts.accepted == 3000)
                try await publish("less", tag: "sport", in: fleet)
                #expect(try await fleet.completed("less").counts.skipped == 3000)
            }
        }

        @Test func `a worker killed in mid-campaign charges nobody twice`() async throws {
            let faults = ["latency": "50", "streams": "25", "rules": "4290=once-429"]
            try await PrivateFleet.with(faults: faults) { fleet in
                try cap("[{most: 2, per: 1d}]", in: fleet)
                let first = try await fleet.startWorker()
                _ = try await fleet.startWorker()
                let count = FullSuite.isOn ? 16_000 : 4_000
                try await fleet.putList("fans", TestDevices.mixed(count / 2, prefix: "4290"))
                try await publish("one", tag: "sport", in: fleet)
                try await fleet.requests(reach: count / 5)
                first.kill()
                #expect(try await fleet.completed("one", within: .seconds(120)).counts.accepted == count)
                // If the first had counted twice, nobody would get the second.
                try await publish("two", tag: "sport", in: fleet)
                let second = try await fleet.completed("two", within: .seconds(120))
                #expect(second.counts.accepted == count && second.counts.skipped == 0)
                try await publish("three", tag: "sport", in: fleet)
                #expect(try await fleet.completed("three").reasons == ["FrequencyCap": count])
            }
        }

        // MARK: - Badges

        private func register(_ tokens: [String], in fleet: PrivateFleet) async throws {
            let devices = tokens.enumerated().map { number, token in
                DeviceRegistration(device: Device(token: token, id: "d\(number)"), tags: .set(["sport"]))
            }
            for start in stride(from: 0, to: devices.count, by: 1000) {
                let batch = Array(devices[start..<min(start + 1000, devices.count)])
                _ = try await Registry.register(batch, app: PrivateFleet.app, in: fleet.ledger)
            }
        }

        private func badgeJob(_ id: String, _ badge: JSONValue) -> TestJob {
            var job = TestJob(id, list: "fans")
            job.content = .object(["title": .string(id), "badge": badge])
            return job
        }

        /// Returns the badges that the simulator has seen, by the title and the token of the push.
        private func seen(_ fleet: PrivateFleet) throws -> [String: [String: Set<Int64?>]] {
            var seen: [String: [String: Set<Int64?>]] = [:]
            for request in fleet.simulator.lastRequests {
                let payload = try #require(JSONReader.read(request.payload).value)
                let title = try #require(payload["aps"]?["alert"]?["title"]?.string)
                let token = String(request.path.split(separator: "/").last ?? "")
                seen[title, default: [:]][token, default: []].insert(payload["aps"]?["badge"]?.integer)
            }
            return seen
        }

        @Test func `+1 twice is 1 and then 2, whatever was sent again and by whom`() async throws {
            let faults = ["latency": "50", "streams": "25", "rules": "5030=once-503"]
            try await PrivateFleet.with(faults: faults, requestsKept: 40_000) { fleet in
                let tokens = TestDevices.mixed(FullSuite.isOn ? 3000 : 800, prefix: "5030")
                try await register(tokens, in: fleet)
                let strangers = TestDevices.tokens(200, prefix: "b")
                let count = tokens.count + strangers.count
                try await fleet.putList("fans", tokens + strangers)
                let first = try await fleet.startWorker()
                _ = try await fleet.startWorker()
                try await fleet.publish(badgeJob("one", "+1"))
                try await fleet.requests(reach: 400)
                first.kill()
                #expect(try await fleet.completed("one", within: .seconds(120)).counts.accepted == count)
                try await fleet.publish(badgeJob("two", "+1"))
                #expect(try await fleet.completed("two", within: .seconds(120)).counts.accepted == count)
                try await fleet.publish(badgeJob("clear", 0))
                #expect(try await fleet.completed("clear", within: .seconds(120)).counts.accepted == count)
                try await fleet.publish(badgeJob("three", "+1"))
                #expect(try await fleet.completed("three", within: .seconds(120)).counts.accepted == count)

                let pushes = try seen(fleet)
                for (title, badge) in [("one", 1), ("two", 2), ("clear", 0), ("three", 1)] {
                    let got = try #require(pushes[title])
                    #expect(tokens.allSatisfy { got[$0] == [Int64(badge)] }, "\(title)")
                    #expect(strangers.allSatisfy { got[$0] == (title == "clear" ? [0] : [nil]) }, "\(title)")
                }
                let device = try await fleet.ledger.read { try $0.device(app: PrivateFleet.app, installation: "d9") }
                #expect(device?.badge == 1)

                // A dry run counts nothing.
                let file = fleet.folder + "/job.json"
                var preview = badgeJob("preview", "+1")
                preview.audience = .object(["devices": .array([.object(["token": .string(tokens[9])])])])
                try Data(preview.body).write(to: URL(fileURLWithPath: file))
                for _ in 0..<2 {
                    let shown = try await fleet.run("campaign", "preview", file, "--json")
                    #expect(shown.exit == 0 && shown.output.contains("\"badge\":2"), "\(shown.output)\(shown.errors)")
                }
            }
        }

        @Test func `an app without devices in the registry is warned that no badge changes`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let listener = try await EventListener(fleet)
                try await fleet.putList("fans", TestDevices.tokens(3))
                try await fleet.publish(badgeJob("one", "+1"))
                #expect(try await fleet.completed("one").counts.accepted == 3)
                let accepted = try #require(try await listener.events("campaign.accepted", of: "one").first)
                #expect(accepted.json["data"]?["warnings"]?.array?.first?["code"]?.string == "no_badge_count")
                await listener.close()
            }
        }

        @Test(.enabled(if: Ledger.hasPostgreSQL)) func `both count the same on PostgreSQL`() async throws {
            let server = try PrivatePostgreSQL.shared.get()
            try await PrivateFleet.with(requestsKept: 4000, postgreSQL: server) { fleet in
                try cap("[{most: 2, per: 1d}]", in: fleet)
                _ = [try await fleet.startWorker(), try await fleet.startWorker()]
                let tokens = TestDevices.tokens(1000)
                try await register(tokens, in: fleet)
                try await fleet.putList("fans", tokens)
                for id in ["one", "two"] {
                    try await fleet.publish(badgeJob(id, "+1"))
                    #expect(try await fleet.completed(id).counts.accepted == 1000)
                }
                try await fleet.publish(badgeJob("three", "+1"))
                #expect(try await fleet.completed("three").counts.skipped == 1000)
                let pushes = try seen(fleet)
                #expect(tokens.allSatisfy { pushes["one"]?[$0] == [1] && pushes["two"]?[$0] == [2] })
            }
        }
    }
}
