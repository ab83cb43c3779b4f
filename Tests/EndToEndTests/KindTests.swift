import Campaigns
import Foundation
import Servers
import Settings
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Campaigns of every kind, as phones receive them.
    @Suite("Kinds of campaigns")
    struct Kinds {
        private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3])

        /// Declares an app with a message key and these lines.
        private func declare(_ fleet: PrivateFleet, _ lines: String = "") throws {
            let key = "1 " + String(repeating: "0b", count: 32)
            try Data(key.utf8).write(to: URL(fileURLWithPath: fleet.folder + "/news.message.key"))
            let file = URL(fileURLWithPath: fleet.folder + "/apps.yaml")
            let edge = "    edge: {message_key_file: news.message.key}\n" + lines
            try (try Data(contentsOf: file) + Data(edge.utf8)).write(to: file)
        }

        private func job(_ id: String, _ kind: String?, _ content: JSONValue) -> TestJob {
            var job = TestJob(id, TestDevices.tokens(2), fcm: TestDevices.fcm(2))
            (job.kind, job.content) = (kind, content)
            return job
        }

        /// Returns the last push per provider: Apple's payload, Google's message, and the object in each.
        private func got(_ fleet: PrivateFleet) throws -> (apns: JSONValue, fcm: JSONValue, objects: [JSONValue]) {
            let apple = try #require(fleet.simulator.lastRequests.last)
            let google = try #require(fleet.simulator.lastRequests(of: .fcm).last)
            let payload = try #require(JSONReader.read(apple.payload).value)
            let message = try #require(JSONReader.read(google.payload).value?["message"])
            let text = message["data"]?["fanfare"]?.string ?? ""
            let object = JSONReader.read(Array(text.utf8)).value
            return (payload, message, [payload["fanfare"], object].compactMap(\.self))
        }

        /// Sends a campaign to four phones and returns the last push per provider.
        private func send(
            _ job: TestJob,
            _ fleet: PrivateFleet
        ) async throws
            -> (apns: JSONValue, fcm: JSONValue, objects: [JSONValue])
        {
            try await fleet.publish(job)
            #expect(try await fleet.completed(job.id).counts.accepted == 4)
            return try got(fleet)
        }

        @Test func `an announcement and a poll travel by id, and what they are is stored under it`() async throws {
            try await PrivateFleet.with(fcm: FCMAccess()) { fleet in
                try declare(fleet)
                _ = try await fleet.startWorker()
                let page: JSONValue = ["format": "html", "body": "<h1>Final</h1>", "action_url": "app://tickets"]
                let announced = try await send(
                    job("final", "announcement", ["title": "Tickets", "announcement": page]),
                    fleet
                )
                for object in announced.objects {
                    #expect(object["k"] == "announcement" && object["r"] == "final" && object["t"] == "announcement")
                    #expect(object["m"]?.string?.utf8.count == 22)
                }
                #expect(announced.objects.count == 2 && announced.apns["aps"]?["alert"]?["title"] == "Tickets")
                #expect(announced.fcm["notification"]?["title"] == "Tickets")
                let stored = try #require(
                    try await fleet.ledger.read { try $0.content(app: PrivateFleet.app, id: "final") }
                )
                #expect(JSONReader.read(stored.bytes).value == page && stored.isOfCampaign)

                let question: JSONValue = ["id": "q", "title": "Who wins?", "choices": [["id": "a", "title": "Real"]]]
                let poll: JSONValue = ["questions": [question]]
                let asked = try await send(job("vote", "poll", ["body": "Who wins?", "poll": poll]), fleet)
                #expect(asked.objects.map { $0["r"]?.string } == ["vote", "vote"])
                let status = try await fleet.run("campaign", "status", "vote", "--json")
                #expect(JSONReader.read(Array(status.output.utf8)).value?["kind"] == "poll")
                let list = try await fleet.run("content", "ls", "--app", PrivateFleet.app, "--json")
                let rows = try #require(JSONReader.read(Array(list.output.utf8)).value?.array)
                #expect(rows.compactMap { $0["id"]?.string } == ["final", "vote"])
            }
        }

        @Test func `a data push and a native push show nothing but what they carry`() async throws {
            try await PrivateFleet.with(fcm: FCMAccess()) { fleet in
                try declare(fleet)
                _ = try await fleet.startWorker()
                let body: JSONValue = ["encoding": "base64", "body": "aGk=", "category": "sync"]
                let data = try await send(job("sync", "data_push", ["data_push": body]), fleet)
                for object in data.objects {
                    #expect(object["d"] == "aGk=" && object["e"] == "base64" && object["g"] == "sync")
                }
                #expect(data.objects.count == 2 && data.apns["aps"] == ["content-available": 1])
                #expect(data.fcm["notification"] == nil)
                #expect(fleet.simulator.lastRequests.last?.headers["apns-push-type"] == "background")

                let own: JSONValue = [
                    "apns": ["aps": ["alert": "Hi"], "own": 1], "fcm": ["notification": ["title": "Hi"]],
                ]
                let native = try await send(job("raw", "native", own), fleet)
                #expect(native.apns["aps"] == ["alert": "Hi"] && native.apns["own"] == 1)
                #expect(native.fcm["notification"] == ["title": "Hi"])
                #expect(native.objects.map { $0["k"]?.string } == ["native", "native"])
            }
        }

        @Test func `a silent push names content that was uploaded, and one that was not is refused`() async throws {
            try await PrivateFleet.with(fcm: FCMAccess()) { fleet in
                try declare(fleet)
                _ = try await fleet.startWorker()
                let listener = try await EventListener(fleet)
                let rich: JSONValue = ["content_available": true, "rich": ["type": "coupon", "id": "c-81"]]
                try await fleet.publish(job("early", nil, rich))
                let refusal = try await listener.events("campaign.refused", of: "early")[0].json.text
                #expect(refusal.contains("unknown_content") && refusal.contains("/content/rich/id"), "\(refusal)")
                await listener.close()

                try Self.png.write(to: URL(fileURLWithPath: fleet.folder + "/coupon.png"))
                let app = PrivateFleet.app
                let dry = try await fleet.run("content", "put", "c-81", "coupon.png", "--app", app, "--dry-run")
                #expect(dry.exit == 0 && dry.output.contains("nothing written"), "\(dry)")
                #expect(try await fleet.ledger.read { try $0.contents() } == [])
                let put = try await fleet.run("content", "put", "c-81", "coupon.png", "--app", app, "--type", "coupon")
                #expect(put.exit == 0 && put.output.contains("added, image/png, 11 bytes"), "\(put)")
                let sent = try await send(job("later", nil, rich), fleet)
                #expect(sent.objects.map { $0["r"]?.string } == ["c-81", "c-81"])
                #expect(sent.objects.map { $0["t"]?.string } == ["coupon", "coupon"])
                #expect(sent.apns["aps"] == ["content-available": 1] && sent.fcm["notification"] == nil)

                let shown = try await fleet.run("content", "show", "c-81", "--app", app, "--out", "copy.png")
                #expect(shown.exit == 0)
                #expect(try Data(contentsOf: URL(fileURLWithPath: fleet.folder + "/copy.png")) == Self.png)
                #expect(try await fleet.run("content", "rm", "c-81", "--app", app).exit == 64)
                #expect(try await fleet.run("content", "rm", "c-81", "--app", app, "--yes").exit == 0)
                #expect(try await fleet.run("content", "show", "c-81", "--app", app).exit == 1)
            }
        }

        @Test func `an app's names, defaults and categories are those that its pushes and intake have`() async throws {
            try await PrivateFleet.with(fcm: FCMAccess()) { fleet in
                try declare(
                    fleet,
                    """
                        categories: {LIKE: [{id: LIKE_IT, foreground: true}, {id: NO}]}
                        variables: {match: {required: true}, url: {default: "app://home"}}
                        payload_names: {media: mediaUrl, message_id: _mId, delivery_id: _dId, message: _msg}

                    """
                )
                _ = try await fleet.startWorker()
                let listener = try await EventListener(fleet)
                let wrong: JSONValue = [
                    "title": "Hi", "category": "LIKES", "actions": [["id": "NO", "url": "app://x"]],
                ]
                try await fleet.publish(job("wrong", nil, wrong))
                let refusal = try await listener.events("campaign.refused", of: "wrong")[0].json.text
                #expect(refusal.contains("did you mean LIKE?") && refusal.contains("/content/data/match"), "\(refusal)")
                await listener.close()

                let right: JSONValue = [
                    "title": "Hi", "body": "Goal", "category": "LIKE", "data": ["match": 7],
                    "media_url": "https://cdn.example.com/a.jpg", "actions": [["id": "LIKE_IT", "url": "app://x"]],
                ]
                let got = try await send(job("right", nil, right), fleet)
                let keys = try MessageKeys(file: Array(("1 " + String(repeating: "0b", count: 32)).utf8))
                let number = try await fleet.number("right")
                for beside in [got.apns, got.fcm["data"] ?? .null] {
                    #expect(beside["mediaUrl"] == "https://cdn.example.com/a.jpg" && beside["_dId"] == "right")
                    #expect(beside["_msg"] == "Goal")
                    let id = MessageID(Array((beside["_mId"]?.string ?? "").utf8), app: PrivateFleet.app, keys: keys)
                    #expect(id?.campaign == number)
                }
                for object in got.objects {
                    #expect(object["u"] == "app://home" && object["m"] == nil && object["i"] == nil)
                }
                #expect(got.objects.count == 2)
            }
        }

        @Test func `an app in the field gets whole numbers, its three names in silence, and a default body as data`()
            async throws
        {
            try await PrivateFleet.with(fcm: FCMAccess()) { fleet in
                try declare(
                    fleet,
                    """
                        variables: {body: {default: "Open the app"}}
                        payload_names: {message_number: _mId, delivery_number: _dId, rich_id: richId, rich_type: richType,
                          rich_message: richMessage}

                    """
                )
                _ = try await fleet.startWorker()
                try Self.png.write(to: URL(fileURLWithPath: fleet.folder + "/coupon.png"))
                let put = try await fleet.run("content", "put", "c-81", "coupon.png", "--app", PrivateFleet.app)
                #expect(put.exit == 0, "\(put)")
                // In the format of a messaging hub's seed.
                let rich: JSONValue = [
                    "content_available": true, "apns": ["aps": ["sound": ""]],
                    "rich": ["type": "coupon", "id": "c-81", "message": "Ten percent"],
                ]
                let silent = try await send(job("silent", nil, rich), fleet)
                #expect(silent.apns["aps"] == ["content-available": 1, "sound": ""])
                #expect(fleet.simulator.lastRequests.last?.headers["apns-push-type"] == "background")
                for beside in [silent.apns, silent.fcm["data"] ?? .null] {
                    let names = ["richId", "richType", "richMessage"].map { beside[$0]?.string }
                    #expect(names == ["c-81", "coupon", "Ten percent"])
                }
                let numbers = LegacyNumbers(app: PrivateFleet.app, id: "silent")
                #expect(silent.apns["_mId"]?.integer == Int64(numbers.message))
                #expect(silent.apns["_dId"]?.integer == Int64(numbers.delivery))
                #expect(silent.fcm["data"]?["_mId"]?.string == String(numbers.message))
                #expect(silent.objects.count == 2 && silent.objects.allSatisfy { $0["m"]?.string?.utf8.count == 22 })

                let shown = try await send(job("shown", nil, ["title": "Derby"]), fleet)
                #expect(shown.apns["aps"]?["alert"] == ["title": "Derby"])
                #expect(shown.fcm["notification"] == ["title": "Derby"])
                let drawn = job("drawn", nil, ["title": "Derby"]).delivered(["android": "data"])
                let data = try await send(drawn, fleet)
                #expect(data.fcm["data"]?["title"] == "Derby" && data.fcm["data"]?["body"] == "Open the app")
                #expect(data.apns["aps"]?["alert"] == ["title": "Derby"])
            }
        }

        @Test func `a native push to everyone leaves out whom it has nothing for, and says so`() async throws {
            try await PrivateFleet.with(fcm: FCMAccess()) { fleet in
                try declare(fleet)
                _ = try await fleet.startWorker()
                let listener = try await EventListener(fleet)
                let people = ["apns": TestDevices.tokens(2), "fcm": TestDevices.fcm(3)]
                var lines: [String] = []
                for (provider, tokens) in people {
                    lines += tokens.map {
                        #"{"id": "\#(provider)-\#($0.suffix(8))", "token": "\#($0)", "provider": "\#(provider)"}"#
                    }
                }
                let file = URL(fileURLWithPath: fleet.folder + "/all.ndjson")
                try Data(lines.joined(separator: "\n").utf8).write(to: file)
                let imported = try await fleet.run("device", "import", "all.ndjson", "--app", PrivateFleet.app)
                #expect(imported.exit == 0, "\(imported)")
                var native = TestJob("raw", [])
                (native.kind, native.audience) = ("native", ["everyone": true])
                native.content = ["apns": ["aps": ["alert": "Hi"]]]
                try await fleet.publish(native)
                let accepted = try await listener.events("campaign.accepted", of: "raw")[0].json["data"]
                let warnings = try #require(accepted?["warnings"]?.array)
                #expect(warnings.map { $0["pointer"] } == ["/content"], "\(warnings)")
                #expect(warnings.first?["detail"]?.string?.contains("nothing for fcm") == true, "\(warnings)")
                let status = try await fleet.completed("raw")
                #expect(status.audience == 2 && status.counts.accepted == 2)
                #expect(fleet.simulator.lastRequests(of: .fcm).isEmpty)
                // Devices in the job are an error here.
                try await fleet.publish(job("named", "native", native.content))
                #expect(try await listener.events("campaign.refused", of: "named")[0].pointers == ["/content/fcm"])
                await listener.close()
            }
        }

        @Test func `a sound is content, and one that a system does not play is warned of`() async throws {
            try await PrivateFleet.with(fcm: FCMAccess()) { fleet in
                try declare(fleet)
                _ = try await fleet.startWorker()
                let wave = Data("RIFF".utf8) + Data([4, 0, 0, 0]) + Data("WAVE".utf8)
                try wave.write(to: URL(fileURLWithPath: fleet.folder + "/goal.wav"))
                try Self.png.write(to: URL(fileURLWithPath: fleet.folder + "/goal.mp3"))
                let app = PrivateFleet.app
                let put = try await fleet.run("content", "put", "goal", "goal.wav", "--app", app, "--type", "sound")
                #expect(put.exit == 0 && put.output.contains("audio/wav, 12 bytes"), "\(put)")
                let wrong = try await fleet.run("content", "put", "noise", "goal.mp3", "--app", app)
                #expect(wrong.exit != 0 && wrong.errors.contains("it begins like image/png"), "\(wrong)")
                let listener = try await EventListener(fleet)
                _ = try await send(job("loud", nil, ["title": "Goal", "sound": "goal.caf"]), fleet)
                let warnings = try await listener.events("campaign.accepted", of: "loud")[0].json["data"]?["warnings"]?
                    .array
                #expect(warnings?.compactMap { $0["pointer"]?.string } == ["/content/sound"], "\(warnings ?? [])")
                #expect(warnings?.first?["detail"]?.string?.hasPrefix("Android") == true)
                await listener.close()
            }
        }
    }
}
