import Campaigns
import Foundation
import Servers
import Settings
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Strangers who have the app's own key, which ships with the app, against the built server.
    @Suite("Take-over of devices")
    struct DeviceTakeOver {
        private static let id = "user-4712"

        private func json(_ body: Data) -> JSONValue? { JSONReader.read(Array(body)).value }

        /// Imports the device of `ana`, as an operator does.
        private func importDevice(_ fleet: PrivateFleet, token: String) async throws {
            let now = TestClock.now().rfc3339
            let line =
                #"{"token": "\#(token)", "id": "\#(Self.id)", "user": "ana", "tags": ["vip"], "registered_at": "\#(now)"}"#
            try Data((line + "\n").utf8).write(to: URL(filePath: fleet.folder + "/devices.ndjson"))
            let done = try await fleet.run("device", "import", "devices.ndjson", "--app", PrivateFleet.app)
            try #require(done.exit == 0, "\(done.errors)")
        }

        @Test func `an imported device is not a stranger's who says its id, whatever he says with it`() async throws {
            try await PrivateFleet.with { fleet in
                let (edge, key) = try await fleet.startEdge()
                let tokens = TestDevices.tokens(3)
                try await importDevice(fleet, token: tokens[0])
                let path = "/v1/devices/\(Self.id)"
                let words: [JSONValue] = [
                    ["token": .string(tokens[1])], [:], ["locale": "es-ES"], ["user": "ana"],
                    ["token": .string(tokens[1]), "user": "ana"], ["token": .string(tokens[1]), "user": .null],
                ]
                for word in words {
                    let answer = try await edge.ask("PUT", path, bearer: key, body: word)
                    let said = json(answer.body)
                    #expect(answer.status == 409 && said?["status"] == "device_exists", "\(word.text)")
                    #expect(said?["device_secret"] == nil && said?["pointer"] == nil)
                    #expect(said?["reason"] == "this id belongs to another installation: register with a new id")
                }
                let known = try await fleet.ledger.read { try $0.device(app: PrivateFleet.app, installation: Self.id) }
                #expect(known?.user == "ana" && known?.traits.tags == ["vip"] && known?.secretHash == nil)
                // Its own phone has the imported token.
                let own = try await edge.ask("PUT", path, bearer: key, body: ["token": .string(tokens[0])])
                #expect(own.status == 200 && json(own.body)?["device_secret"]?.string?.isEmpty == false)
                // From then on strangers get the same answer.
                let late = try await edge.ask("PUT", path, bearer: key, body: words[0])
                #expect(late.status == 409 && json(late.body)?["status"] == "device_exists")
            }
        }

        @Test func `an id that a stranger took in advance is not his when it is imported`() async throws {
            try await PrivateFleet.with { fleet in
                let (edge, key) = try await fleet.startEdge()
                let tokens = TestDevices.tokens(2)
                let stranger = try await Phone(id: Self.id, token: tokens[1]).registered(edge, key: key)
                try await importDevice(fleet, token: tokens[0])
                let path = "/v1/devices/\(Self.id)"
                for word: JSONValue in [[:], ["token": .string(tokens[1])]] {
                    let answer = try await edge.ask("PUT", path, bearer: stranger.secret, body: word)
                    #expect(answer.status == 403, "\(String(decoding: answer.body, as: UTF8.self))")
                }
                let session = try await edge.ask("POST", "/v1/sessions", bearer: stranger.secret, body: [:])
                #expect(session.status == 403)
                #expect(try await edge.ask("DELETE", path, bearer: stranger.secret).status == 403)
                let known = try await fleet.ledger.read { try $0.device(app: PrivateFleet.app, installation: Self.id) }
                #expect(known?.user == "ana" && known?.state == .live)
            }
        }

        @Test func `what a leaked key has registered goes with it, also afterwards, and nothing else`() async throws {
            try await PrivateFleet.with { fleet in
                let (edge, key) = try await fleet.startEdge()
                let made = try await fleet.run("app", "key", "create", PrivateFleet.app, "--name", "leaked")
                let leaked = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
                let tokens = TestDevices.tokens(303)
                try await importDevice(fleet, token: tokens[0])
                try await eventually("the server knows the key") {
                    let path = "/v1/devices/\(Self.id)"
                    return try await edge.ask("PUT", path, bearer: leaked, body: ["token": .string(tokens[0])]).status
                        == 200
                }
                let strangers = try await Phone.Edge.forEach(Array(3..<303)) { number in
                    try await Phone(id: "stranger-\(number)", token: tokens[number]).registered(edge, key: leaked)
                }
                let good = try await Phone(id: "good", token: tokens[1]).registered(edge, key: key)
                let revoke = ["app", "key", "revoke", PrivateFleet.app, "--name", "leaked"]
                #expect(try await fleet.run(revoke + ["--devices"]).exit == 64)
                let tried = try await fleet.run(revoke + ["--devices", "--dry-run"])
                #expect(tried.output.contains("300 devices would be forgotten"), "\(tried)")
                // Revoked quickly without the devices, which are handled later.
                #expect(try await fleet.run(revoke).exit == 0)
                let done = try await fleet.run(revoke + ["--devices", "--yes", "--json"])
                #expect(JSONReader.read(Array(done.output.utf8)).value?["devices"]?.integer == 300, "\(done)")
                for phone in [strangers[0], strangers[299]] {
                    #expect(try await edge.ask("POST", "/v1/sessions", bearer: phone.secret, body: [:]).status == 403)
                }
                #expect(try await edge.ask("PUT", "/v1/devices/good", bearer: good.secret, body: [:]).status == 200)
                let known = try await fleet.ledger.read { try $0.device(app: PrivateFleet.app, installation: Self.id) }
                #expect(known?.user == "ana" && known?.state == .live)
            }
        }

        @Test func `a held announcement is nobody's, and a released one is for its pushes`() async throws {
            try await PrivateFleet.with(requestsKept: 8) { fleet in
                let (edge, key) = try await fleet.startEdge()
                _ = try await fleet.startWorker()
                let tokens = TestDevices.tokens(2)
                let fan = try await Phone(id: "fan", token: tokens[0]).registered(edge, key: key)
                let other = try await Phone(id: "other", token: tokens[1]).registered(edge, key: key)
                func announcement(_ id: String, to token: String) -> TestJob {
                    var job = TestJob(id, [token])
                    (job.kind, job.content) = (
                        "announcement", ["title": "Sold", "announcement": ["format": "text", "body": "To Milan"]]
                    )
                    return job
                }
                func get(_ id: String, _ phone: Phone, _ message: String? = nil) async throws -> Int {
                    let fields = message.map { ["fanfare-message": $0] } ?? [:]
                    return try await edge.ask("GET", "/v1/messages/\(id)", bearer: phone.secret, fields: fields).status
                }
                // A stranger has a signed id of another campaign.
                try await fleet.publish(announcement("first", to: tokens[1]))
                #expect(try await fleet.completed("first").counts.accepted == 1)
                let first = try #require(try fleet.pushes()[tokens[1]]?["m"]?.string)
                try await fleet.publish(announcement("transfer", to: tokens[0]).delivered(["hold": true, "ttl": 600]))
                try await eventually("it is held") { try await fleet.status("transfer")?.state == "held" }
                // A signed id of the campaign, before any device has a push of it.
                let number = try await fleet.number("transfer")
                let keys = try MessageKeys(file: Array(PrivateFleet.messageKey.utf8))
                let early = MessageID.signed(campaign: number, devices: [0], app: PrivateFleet.app, keys: keys)[0]
                for message in [nil, first, early, "made-up", String(repeating: "A", count: 22)] {
                    #expect(try await get("transfer", other, message) == 404)
                    #expect(try await get("transfer", fan, message) == 404)
                }
                #expect(try await fleet.run("campaign", "fire", "transfer").exit == 0)
                #expect(try await fleet.completed("transfer").counts.accepted == 1)
                let signed = try #require(try fleet.pushes()[tokens[0]]?["m"]?.string)
                #expect(try await get("transfer", fan, signed) == 200)
                for message in [nil, first] { #expect(try await get("transfer", other, message) == 404) }
                // A signed id opens only its own campaign's content.
                #expect(try await get("first", fan, signed) == 404)
                #expect(try await get("first", other, first) == 200)
            }
        }

        @Test func `a held poll answers a stranger as one that is not there, and a released one those who were asked`()
            async throws
        {
            try await PrivateFleet.with(requestsKept: 8) { fleet in
                let (edge, key) = try await fleet.startEdge()
                _ = try await fleet.startWorker()
                let tokens = TestDevices.tokens(2)
                let fan = try await Phone(id: "fan", token: tokens[0]).registered(edge, key: key)
                let other = try await Phone(id: "other", token: tokens[1]).registered(edge, key: key)
                func poll(_ id: String, to token: String) -> TestJob {
                    var job = TestJob(id, [token])
                    let question: JSONValue = ["id": "q", "title": "Who?", "choices": [["id": "a", "title": "Ana"]]]
                    (job.kind, job.content) = ("poll", ["body": "Who?", "poll": ["questions": [question]]])
                    return job
                }
                func answer(_ id: String, _ phone: Phone, _ message: String) async throws -> (Int, String?) {
                    let body: JSONValue = [
                        "m": .string(message), "at": .string(TestClock.now().rfc3339),
                        "answers": [["question": "q", "choices": ["a"]]],
                    ]
                    let reply = try await edge.ask("POST", "/v1/polls/\(id)/answers", bearer: phone.secret, body: body)
                    return (reply.status, json(reply.body)?["reason"]?.string?.replacing(id, with: "ID"))
                }
                // A stranger has a signed id of another poll.
                try await fleet.publish(poll("first", to: tokens[1]))
                #expect(try await fleet.completed("first").counts.accepted == 1)
                let first = try #require(try fleet.pushes()[tokens[1]]?["m"]?.string)
                #expect(try await answer("first", other, first).0 == 202)
                try await fleet.publish(poll("vote", to: tokens[0]).delivered(["hold": true, "ttl": 600]))
                try await eventually("it is held") { try await fleet.status("vote")?.state == "held" }
                let (held, nothing) = (try await answer("vote", other, first), try await answer("none", other, first))
                #expect(held == nothing && held.0 == 404, "\(held) \(nothing)")
                #expect(try await fleet.run("campaign", "fire", "vote").exit == 0)
                #expect(try await fleet.completed("vote").counts.accepted == 1)
                let signed = try #require(try fleet.pushes()[tokens[0]]?["m"]?.string)
                #expect(try await answer("vote", fan, signed).0 == 202)
                #expect(try await answer("vote", other, first) == nothing)
            }
        }
    }
}
