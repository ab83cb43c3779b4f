import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// In-app messages through the built program: a worker, a server, and a phone that asks.
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
