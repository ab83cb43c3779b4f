import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Jobs to broadcast channels, from the command that makes a channel to Apple's answer.
    @Suite("Broadcasts")
    struct Broadcasts {
        /// Returns an update of a Live Activity for a channel.
        private func score(_ text: String, channel: String = "derby-21") -> TestJob {
            var job = TestJob(text.replacing(":", with: "-"), [])
            job.audience = ["channel": .string(channel)]
            job.content = [
                "live_activity": [
                    "event": "update", "timestamp": .number(JSONNumber(TestClock.now().seconds)),
                    "content_state": ["score": .string(text)],
                ]
            ]
            return job.delivered(["push_type": "liveactivity", "collapse_id": "score", "ttl": 600])
        }

        private func create(_ fleet: PrivateFleet, _ name: String, _ more: String...) async throws -> String {
            let made = try await fleet.run(["channel", "create", name, "--app", PrivateFleet.app, "--json"] + more)
            try #require(made.exit == 0, "\(made.errors)")
            return try #require(JSONReader.read(Array(made.output.utf8)).value?["id"]?.string)
        }

        /// Returns the scores that came as broadcasts, each with the status of its answer.
        private func scores(_ fleet: PrivateFleet) -> [String] {
            fleet.simulator.lastRequests.filter { $0.path.hasPrefix("/4/broadcasts/") }.map { request in
                let state = JSONReader.read(request.payload).value?["aps"]?["content-state"]
                return "\(state?["score"]?.string ?? "?") \(request.status)"
            }
        }

        @Test func `a goal is one request to the channel, and is counted like a device`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let quiet = try await create(fleet, "derby-21")
                let storing = try await create(fleet, "flight-88", "--storage", "latest")
                for _ in 1...2 { try await fleet.publish(score("1:0")) }
                var urgent = score("8:8", channel: "flight-88")
                    .delivered(["push_type": "liveactivity", "priority": "normal", "urgency": "urgent", "ttl": 600])
                urgent.isUrgent = true
                try await fleet.publish(urgent)
                for id in ["1-0", "8-8"] {
                    let status = try await fleet.completed(id)
                    #expect(status.audience == 1 && status.counts.accepted == 1 && status.attempts == 1)
                }
                #expect(fleet.simulator.statistics.requests == 2 && fleet.simulator.statistics.accepted == 2)
                let broadcasts = fleet.simulator.lastRequests.filter { $0.path.hasPrefix("/4/") }
                let first = try #require(broadcasts.first { $0.headers["apns-channel-id"] == quiet })
                #expect(first.path == "/4/broadcasts/apps/com.example.news")
                #expect(first.headers["apns-expiration"] == "0" && first.headers["apns-priority"] == "10")
                #expect(first.headers["apns-push-type"] == "liveactivity" && first.headers["apns-topic"] == nil)
                let second = try #require(broadcasts.first { $0.headers["apns-channel-id"] == storing })
                let end = try #require(try await fleet.status("8-8")?.expiresAt)
                #expect(second.headers["apns-expiration"] == String(end.seconds))
                #expect(second.headers["apns-priority"] == "5")
                let shown = try await fleet.run("campaign", "status", "1-0", "--json")
                let document = try #require(JSONReader.read(Array(shown.output.utf8)).value)
                #expect(document["audience"] == 1 && document["accepted"] == 1 && document["pending"] == 0)
                #expect(document["state"] == "completed")
            }
        }

        @Test func `an update that Apple cannot take now is tried again, once counted`() async throws {
            try await PrivateFleet.with(faults: ["once_503": "1"]) { fleet in
                _ = try await fleet.startWorker()
                _ = try await create(fleet, "derby-21")
                try await fleet.publish(score("1:0"))
                let status = try await fleet.completed("1-0")
                #expect(status.counts.accepted == 1 && status.attempts == 2)
                #expect(scores(fleet) == ["1:0 503", "1:0 200"])
            }
        }

        @Test func `an update that was superseded before it went out is not sent`() async throws {
            try await PrivateFleet.with(faults: ["once_503": "1"]) { fleet in
                _ = try await fleet.startWorker()
                _ = try await create(fleet, "derby-21")
                try await fleet.publish(score("1:0"))
                try await eventually("the first waits for another try") {
                    try await fleet.status("1-0")?.pending.retrying == 1
                }
                try await fleet.publish(score("2:0"))
                #expect(try await fleet.completed("2-0").counts.accepted == 1)
                let first = try await fleet.completed("1-0")
                #expect(first.counts.superseded == 1 && first.supersededBy == "2-0")
                #expect(scores(fleet) == ["1:0 503", "2:0 200"])
            }
        }

        @Test func `a channel that is not there is refused, and so is one that was removed`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                try Data(score("1:0").body).write(to: URL(fileURLWithPath: fleet.folder + "/score.json"))
                let unknown = try await fleet.run("campaign", "send", "score.json", "--json")
                #expect(unknown.exit == 65 && unknown.errors.contains("unknown_channel"))
                let id = try await create(fleet, "derby-21")
                let taken = try await fleet.run("channel", "create", "derby-21", "--app", PrivateFleet.app)
                #expect(taken.exit != 0 && taken.errors.contains("derby-21 already"))
                let listed = try await fleet.run("channel", "ls", "--json")
                #expect(listed.output.contains(id))
                #expect(fleet.simulator.statistics.own["channels"] == 1)
                let removed = try await fleet.run("channel", "rm", "derby-21", "--app", PrivateFleet.app, "--yes")
                #expect(removed.exit == 0, "\(removed.errors)")
                #expect(fleet.simulator.statistics.own["channels"] == nil)
                #expect(try await fleet.run("campaign", "send", "score.json").exit == 65)
                #expect(fleet.simulator.statistics.requests == 0)
            }
        }

        @Test func `the API makes, lists, compares and removes channels as the command does`() async throws {
            try await PrivateFleet.with { fleet in
                let edge = Phone.Edge(port: try await fleet.startServer())
                func ask(_ method: String, _ path: String, _ body: String? = nil) async throws -> (Int, JSONValue) {
                    let answer = try await edge.ask(method, path, bearer: "", bytes: body.map { Data($0.utf8) })
                    return (answer.status, JSONReader.read(Array(answer.body)).value ?? .null)
                }
                let path = "/v1/apps/\(PrivateFleet.app)/channels"
                let (status, made) = try await ask("POST", path, #"{"name": "derby-21", "storage": "latest"}"#)
                #expect(status == 201 && made["storage"] == "latest" && made["environment"] == "production")
                #expect(try await ask("POST", path, #"{"name": "derby-21"}"#).0 == 409)
                #expect(try await ask("POST", path, #"{"storage": "latest"}"#).0 == 400)
                #expect(try await ask("GET", path).1["channels"] == .array([made]))
                // Apple has a channel that lost its name here, and its id takes a new one.
                let id = try #require(made["id"]?.string)
                let app = PrivateFleet.app
                _ = try await fleet.ledger.write(.synced) { try $0.removeChannel(app: app, name: "derby-21") }
                #expect(try await ask("GET", path + ":compare").1["unnamed"] == .array([.string(id)]))
                let again = try await ask("POST", path, #"{"name": "cup", "id": "\#(id)"}"#)
                #expect(again.0 == 201 && again.1["id"] == .string(id) && again.1["storage"] == "latest")
                #expect(try await ask("DELETE", path + "/cup").0 == 200)
                #expect(try await ask("DELETE", path + "/cup").0 == 404)
                #expect(fleet.simulator.statistics.own["channels"] == nil)
            }
        }
    }
}
