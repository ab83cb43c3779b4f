import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// `fanfare phone` as a person uses it at a terminal.
    @Suite("Phone")
    struct PhoneCommand {
        @Test func `a phone registers, is pushed to, is tapped, goes offline and comes back, and the report says so`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let key = try await fleet.openEdge()
                let port = try await fleet.startServer()
                _ = try await fleet.startWorker()
                try Data(key.utf8).write(to: URL(fileURLWithPath: fleet.folder + "/key.txt"))
                let control = try #require(fleet.simulator.controlPort)
                let arguments = [
                    "phone", "--server", "http://127.0.0.1:\(port)", "--integration", "key.txt", "--simulator",
                    "http://127.0.0.1:\(control)",
                ]
                let pipe = Pipe()
                let phone = try fleet.start(arguments, input: pipe.fileHandleForReading)
                func say(_ lines: String...) throws {
                    try pipe.fileHandleForWriting.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
                }
                func sees(_ text: String) async throws {
                    try await eventually("the phone says \(text)") {
                        guard phone.isRunning else { throw FanfareProcess.Failure(phone.output + phone.errors) }
                        return phone.output.contains(text)
                    }
                }
                try await sees("registration: registered")
                try await send("offer", "announcement", Self.announcement, fleet)
                try await sees(#"notification 1: "An offer" [YES] [NO]"#)
                try say("tap")
                try await sees(#"announcement: "Ten percent" "On all scarves" [action: "Buy"]"#)
                try say("act")
                try await sees("opens app://shop")
                try say("wait sent", "offline")
                try await sees("offline")
                try await send("missed", nil, ["title": "Goal"], fleet)
                try await send("kept", nil, ["title": "Full time"], fleet)
                // Killed while it has no network, then restarted.
                phone.kill()
                try await comesBack(arguments, fleet)
                try await expectFunnels(fleet)
            }
        }

        private func comesBack(_ arguments: [String], _ fleet: PrivateFleet) async throws {
            let input = fleet.folder + "/orders.txt"
            try Data("wait push\ndismiss\nwait sent\nshow\nquit\n".utf8).write(to: URL(fileURLWithPath: input))
            let again = try fleet.start(arguments, input: FileHandle(forReadingAtPath: input))
            let outcome = try await again.ended()
            #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains(#""Full time""#) && !outcome.output.contains(#""Goal""#))
            #expect(outcome.output.hasSuffix("nothing is on the screen\n"), "\(outcome.output)")
        }

        private func expectFunnels(_ fleet: PrivateFleet) async throws {
            var offer = ExpectedFunnel()
            for step in ["received", "displayed", "opened"] { offer.add("system", step) }
            offer.add("content", "displayed")
            offer.add("content", "actioned", "action")
            var kept = ExpectedFunnel()
            for step in ["received", "displayed", "exited"] { kept.add("system", step) }
            // For a phone without network one notification per app is kept: the newest.
            for (id, funnel) in [("offer", offer), ("missed", ExpectedFunnel()), ("kept", kept)] {
                try await eventually("the funnel of \(id)") {
                    funnel.differences(from: try await fleet.report(id)).isEmpty
                }
            }
        }

        private func send(_ id: String, _ kind: String?, _ content: JSONValue, _ fleet: PrivateFleet) async throws {
            var job = TestJob(id, [])
            (job.kind, job.audience, job.content) = (kind, ["everyone": true], content)
            try await fleet.publish(job)
            #expect(try await fleet.completed(id).counts.accepted == 1)
        }

        private static let announcement: JSONValue = [
            "title": "An offer", "category": "YES_NO",
            "announcement": [
                "format": "text", "title": "Ten percent", "body": "On all scarves", "action_label": "Buy",
                "action_url": "app://shop",
            ],
        ]
    }
}
