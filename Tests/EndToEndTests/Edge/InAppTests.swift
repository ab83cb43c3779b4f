import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// In-app messages through the built program: a worker, a server, and a phone that asks for messages.
    @Suite("In-app messages")
    struct InAppMessages {
        private static let session =
            #"{"id": "0199d9f2-6a51-7c5e-8a55-2f0a6d0b9a01", "started_at": "2026-11-20T21:05:00Z"}"#

        private static func job(_ id: String, _ audience: String) -> String {
            """
            {"id": "\(id)", "app": "news", "kind": "in_app", "audience": \(audience),
             "content": {"in_app": {"type": "modal", "header": "Two tickets left"}},
             "delivery": {"in_app": {"triggers": [{"on": "session_start"}], "priority": 3}}}
            """
        }

        @Test func `a message without an end is nowhere said to end in the year 9999`() async throws {
            try await PrivateFleet.with { fleet in
                let (edge, _) = try await fleet.startEdge()
                _ = try await fleet.startWorker()
                let listener = try await EventListener(fleet)
                let full = Self.job("all", #"{"everyone": true}"#).replacing("modal", with: "full")
                try Data(full.utf8).write(to: URL(fileURLWithPath: "\(fleet.folder)/all.json"))
                let sent = try await fleet.run("campaign", "send", "all.json", "--wait", "--timeout", "60s")
                #expect(sent.exit == 0 && sent.errors.contains("discarded by the phone"), "\(sent.errors)")
                let accepted = try await listener.events("campaign.accepted", of: "all")[0].json
                await listener.close()
                #expect(accepted["data"]?["expires_at"] == nil && accepted["data"]?["campaign"] == "all")
                #expect(accepted["data"]?["warnings"]?.array?.first?["pointer"] == "/content/in_app/image_url")
                var said = [sent.output, sent.errors, accepted.text]
                for words in [
                    ["status", "all"], ["status", "all", "--json"], ["list"], ["list", "--json"], ["report", "all"],
                    ["report", "all", "--json"], ["preview", "all.json"], ["pause", "all", "--json"],
                    ["events", "all", "--json"],
                ] {
                    let outcome = try await fleet.run(["campaign"] + words)
                    #expect(outcome.exit == 0, "\(words): \(outcome.errors)")
                    said.append(outcome.output)
                }
                for (method, path) in [
                    ("GET", "news/all"), ("GET", "news/all/report"), ("GET", "?app=news"), ("POST", "news/all:resume"),
                ] {
                    let way = path.hasPrefix("?") ? "/v1/campaigns" + path : "/v1/campaigns/" + path
                    let answer = try await edge.ask(method, way, bearer: "")
                    #expect(answer.status == 200, "\(path)")
                    said.append(String(decoding: answer.body, as: UTF8.self))
                }
                for text in said { #expect(!text.contains("9999"), "\(text)") }
            }
        }

        @Test func `a message reaches the phones that it is for when their sessions start, and no push is sent`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let (edge, key) = try await fleet.startEdge()
                _ = try await fleet.startWorker()
                let tokens = TestDevices.tokens(2)
                let ana = try await Phone(id: "ana", token: tokens[0]).registered(edge, key: key).secret
                let bo = try await Phone(id: "bo", token: tokens[1]).registered(edge, key: key).secret
                func messages(_ secret: String) async throws -> [JSONValue] {
                    let session = Data(Self.session.utf8)
                    let answer = try await edge.ask("POST", "/v1/sessions", bearer: secret, bytes: session)
                    try #require(answer.status == 200, "\(answer.status)")
                    return JSONReader.read(Array(answer.body)).value?["messages"]?.array ?? []
                }

                for (name, text) in [
                    ("all", Self.job("all", #"{"everyone": true}"#)),
                    ("one", Self.job("one", #"{"devices": [{"token": "\#(tokens[0])"}]}"#)),
                ] {
                    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(fleet.folder)/\(name).json"))
                    // It ends when the message is live, although the campaign goes on.
                    let sent = try await fleet.run("campaign", "send", name + ".json", "--wait", "--timeout", "60s")
                    #expect(sent.exit == 0, "\(sent.errors)")
                    #expect(try await fleet.status(name)?.state == "sending")
                }
                let both = try await eventually("ana gets both") {
                    let found = try await messages(ana)
                    return found.count == 2 ? found : nil
                }
                #expect(both.map { $0["campaign"] } == ["one", "all"])
                #expect(both.allSatisfy { $0["m"]?.string?.utf8.count == 22 && $0["priority"] == 3 })
                try await eventually("bo gets one") { try await messages(bo).map { $0["campaign"] } == ["all"] }
                let status = try #require(try await fleet.status("all"))
                #expect(status.audience == 2 && status.counts.accepted == 2 && status.law == .holds)
                #expect(try await fleet.status("one")?.audience == 1)

                #expect(try await fleet.run("campaign", "cancel", "all").exit == 0)
                try await eventually("the cancelled one is gone") {
                    try await messages(ana).map { $0["campaign"] } == ["one"]
                }
                #expect(try await fleet.status("all")?.state == "cancelled")
                #expect(fleet.simulator.statistics.requests == 0)
            }
        }
    }
}
