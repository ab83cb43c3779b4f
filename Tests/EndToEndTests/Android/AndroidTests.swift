import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// The Java example of an Android client at a real edge; its input is the data that the simulator received from us.
    @Suite("Android", .enabled(if: JavaDevelopmentKit.isThere))
    struct Android {
        private static let ownNames = ["message_id": "mid", "url": "link", "delivery_id": "_dId"]

        /// Starts a fleet with a worker, and a phone that has registered there.
        private func open(
            _ fleet: PrivateFleet,
            names: [String: String] = [:]
        ) async throws -> (phone: AndroidPhone, key: String) {
            try JavaDevelopmentKit.compileExample(into: fleet.folder + "/java")
            let key = try await fleet.openEdge()
            if !names.isEmpty {
                let apps = URL(filePath: fleet.folder + "/apps.yaml")
                let pairs = names.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
                try (try Data(contentsOf: apps) + Data("    payload_names: {\(pairs)}\n".utf8)).write(to: apps)
            }
            let server = "http://127.0.0.1:\(try await fleet.startServer())"
            _ = try await fleet.startWorker()
            let phone = AndroidPhone(fleet, folder: fleet.folder + "/phone", server: server, key: key, names: names)
            try await phone.start()
            try await phone.perform("token \(TestDevices.fcm(1)[0])")
            try await phone.perform("sync")
            try #require(phone.output.contains("Outcome[status=registered, reason=null, waiting=0]"))
            return (phone, key)
        }

        /// Sends a data message to all devices; returns the data that Google received.
        private func push(_ id: String, _ fleet: PrivateFleet) async throws -> (token: String?, data: JSONValue) {
            var job = TestJob(id, [])
            job.audience = ["everyone": true]
            job.content = ["title": "¡Gol \"1-0\"!", "body": "Línea 1\nLínea 2", "url": "app://match/7"]
            try await fleet.publish(job.delivered(["android": "data"]))
            #expect(try await fleet.completed(id).counts.accepted == 1)
            let request = try #require(fleet.simulator.lastRequests(of: .fcm).last)
            let message = try #require(JSONReader.read(request.payload).value?["message"])
            return (message["token"]?.string, try #require(message["data"]))
        }

        @Test func `what a killed app had told is counted, once, also when the edge's answer was lost`() async throws {
            try await PrivateFleet.with(requestsKept: 4, fcm: FCMAccess()) { fleet in
                let phone = try await open(fleet).phone
                let data = try await push("goal", fleet).data.text
                try await phone.perform("data \(data)")
                try await phone.sees("campaign=goal")
                try await phone.sees(
                    #"kind=notification, url=app://match/7, media=null, title=¡Gol "1-0"!, body=Línea"#
                )
                for order in ["received", "displayed", "opened"] { try await phone.perform(order) }
                let buttons = try await killWhileItTells(phone)

                try await phone.start()
                try await phone.perform("data \(data)")
                try await phone.perform("pressed LATE")
                // The next event after the torn line is on its own line.
                phone.kill()
                try await phone.start()
                let kept = try Data(contentsOf: phone.journal)
                try await phone.perform("sync")
                try await phone.sees("status=registered, reason=null, waiting=0")
                var funnel = ExpectedFunnel()
                for step in ["received", "displayed", "opened"] { funnel.add("system", step) }
                funnel.add("system", "actioned", "LATE")
                for button in buttons { funnel.addDetail("system", "actioned", button) }
                try await expect(funnel, of: "goal", fleet)
                // It is killed before it records the edge's answer: all events are sent again with the same ids.
                phone.kill()
                try kept.write(to: phone.journal)
                try await phone.start()
                try await phone.perform("sync")
                try await phone.sees("waiting=0")
                #expect(try Data(contentsOf: phone.journal).isEmpty)
                try await eventually("all is written") { try await fleet.waitingTracking() == 0 }
                try await expect(funnel, of: "goal", fleet)
            }
        }

        /// Kills the app while it records button after button; returns the buttons that it had recorded.
        private func killWhileItTells(_ phone: AndroidPhone) async throws -> [String] {
            try phone.say((1...60).map { "pressed B\($0)" })
            try await eventually("it is in the middle of them") { phone.count(ofDone: "pressed") >= 5 }
            phone.kill()
            let buttons = try String(contentsOf: phone.journal, encoding: .utf8).split(separator: "\n")
                .compactMap { JSONReader.read(Array($0.utf8)).value?["action"]?.string }
            #expect(buttons == (1...60).prefix(buttons.count).map { "B\($0)" })
            // The last one may be recorded but not reported.
            let told = phone.count(ofDone: "pressed")
            #expect(buttons.count == told || buttons.count == told + 1)
            // The remains of a write that a crash of the machine interrupted.
            let torn = try FileHandle(forWritingTo: phone.journal)
            try torn.seekToEnd()
            try torn.write(contentsOf: Data(#"{"id":"6d0c"#.utf8))
            try torn.close()
            return buttons
        }

        @Test func `an app with names of its own is told and tells, and a new token gets the next push`() async throws {
            try await PrivateFleet.with(requestsKept: 4, fcm: FCMAccess()) { fleet in
                let (phone, key) = try await open(fleet, names: Self.ownNames)
                let first = try await push("goal", fleet)
                #expect(first.data["mid"]?.string?.utf8.count == 22 && first.data["link"] == "app://match/7")
                try await phone.perform("data \(first.data.text)")
                try await phone.sees("campaign=goal")
                try await phone.perform("received")
                // An event that the edge refuses does not block the others.
                try await phone.perform("pressed \(String(repeating: "x", count: 65))")
                try await phone.perform("pressed LIKE")
                let token = TestDevices.fcm(2)[1]
                try await phone.perform("token \(token)")
                try await phone.perform("sync")
                #expect(phone.output.hasSuffix("waiting=0]\ndone sync\n"), "\(phone.output)")
                var funnel = ExpectedFunnel()
                funnel.add("system", "received")
                funnel.add("system", "actioned", "LIKE")
                try await expect(funnel, of: "goal", fleet)
                #expect(try await push("second", fleet).token == token)
                // A stranger's message is not Fanfare's; a wrong key and a missing network are reported.
                try await phone.perform(#"data {"message":"Hi"}"#)
                try await phone.sees("done data null")
                for (server, key, status) in [
                    ("http://127.0.0.1:1", key, "connection_issue"),
                    (phone.server, "no-key", "integration_key_unknown"),
                ] {
                    let folder = "\(fleet.folder)/\(status)"
                    let other = AndroidPhone(fleet, folder: folder, server: server, key: key)
                    try await other.start()
                    try await other.perform("token \(TestDevices.fcm(3)[2])")
                    try await other.perform("sync")
                    try await other.sees("status=\(status)")
                    other.kill()
                }
            }
        }

        private func expect(_ funnel: ExpectedFunnel, of campaign: String, _ fleet: PrivateFleet) async throws {
            try await eventually("the funnel of \(campaign)") {
                funnel.differences(from: try await fleet.report(campaign)).isEmpty
            }
        }
    }
}
