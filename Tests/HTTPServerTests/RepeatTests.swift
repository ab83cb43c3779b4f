import Campaigns
import Delivery
import PrivateServers
import PushProviders
import Store
import TLS
import Testing

@testable import HTTPServer

/// A job that comes again, and one that no worker could take.
@Suite struct RepeatTests {
    private func body(_ id: String = "derby", app: String = "news", title: String = "Kick-off") -> String {
        let token = String(repeating: "0a", count: 32)
        return #"{"id": "\#(id)", "app": "\#(app)", "content": {"title": "\#(title)"}, "#
            + #""audience": {"devices": [{"token": "\#(token)"}]}, "delivery": {"ttl": 600}}"#
    }

    private func job(_ body: String, _ server: PrivateServer) throws -> Job {
        let envelope = JobEnvelope(
            messageID: nil,
            contentType: "application/json",
            type: JobDecoder.messageType,
            timestampSeconds: nil,
            now: server.ledger.now(),
            tokens: ProviderRegistry.tokens
        )
        return try #require(JobDecoder.decode(Array(body.utf8), envelope: envelope).job)
    }

    @Test func `a repeat is answered alike before the verdict and after it`() async throws {
        try await PrivateServer.with(broker: try await TestBroker.url("api-repeat")) { server in
            func answers() async throws -> [String] {
                var answers: [String] = []
                for path in ["/v1/campaigns", "/v1/campaigns:validate"] {
                    for title in ["Kick-off", "Goal"] {
                        let reply = try await server.ask("POST", path, body: body(title: title))
                        answers.append("\(reply.status) \(reply.fields["location"] ?? "-") \(reply.text)")
                    }
                }
                return answers
            }
            #expect(try await server.ask("POST", "/v1/campaigns", body: body()).status == 202)
            let before = try await answers()
            #expect(before.map { $0.prefix(3) } == ["200", "409", "200", "409"], "\(before)")
            #expect(before[0].contains("/v1/campaigns/news/derby") && before[0].contains("existing"), "\(before)")
            var campaign = PrivateServer.campaign("derby")
            campaign.identity = SHA256.digest(try job(body(), server).canonicalJSON())
            try await server.accept([campaign])
            #expect(try await answers() == before)
        }
    }

    @Test func `a job that was refused is sent again when it comes again`() async throws {
        try await PrivateServer.with(broker: try await TestBroker.url("api-refused")) { server in
            func send(_ title: String) async throws -> Int {
                try await server.ask("POST", "/v1/campaigns", body: body(title: title)).status
            }
            #expect(try await send("Kick-off") == 202)
            #expect(try await send("Goal") == 409)
            let now = server.ledger.now()
            try await server.ledger.write(.synced) { ledger in
                _ = try ledger.refuse(app: "news", id: "derby", document: [], correlationID: "derby", now: now) {
                    CampaignEvent(.refused, app: "news", campaign: "derby", sequence: $0, time: now, data: .null)
                }
            }
            #expect(try await send("Goal") == 202)
            #expect(try await send("Goal") == 200)
        }
    }

    @Test func `every server of a ledger knows a repeat before the verdict, also after the sender has stopped`()
        async throws
    {
        let broker = try await TestBroker.url("api-servers")
        try await PrivateServer.with(broker: broker) { first in
            func asked(_ server: PrivateServer) async throws -> [Int] {
                var statuses: [Int] = []
                for path in ["/v1/campaigns", "/v1/campaigns:validate"] {
                    for title in ["Kick-off", "Goal"] {
                        statuses.append(try await server.ask("POST", path, body: body(title: title)).status)
                    }
                }
                return statuses
            }
            let shared = ["FANFARE_STORE_URL": "sqlite:\(first.folder)/fanfare.db"]
            try await PrivateServer.with(broker: broker, settings: shared) { second in
                let sent = try await second.ask("POST", "/v1/campaigns", body: body())
                #expect(sent.status == 202)
                #expect(try await asked(first) == [200, 409, 200, 409])
            }
            #expect(try await asked(first) == [200, 409, 200, 409])
        }
    }

    @Test func `an unknown app, provider or list is told at once when workers are there`() async throws {
        try await PrivateServer.with { server in
            func errors(_ reply: PrivateServer.Reply) -> [String] {
                (reply.json?["errors"]?.array ?? []).map {
                    "\($0["pointer"]?.string ?? "") \($0["code"]?.string ?? "")"
                }
            }
            let path = "/v1/campaigns:validate"
            // A worker that starts later may have the app.
            #expect(try await server.ask("POST", path, body: body(app: "news")).status == 200)
            let (accounts, begun) = (AppAccounts(["shop": [.fcm], "blog": [.apns]]), server.ledger.now())
            let worker = try await server.ledger.write {
                try $0.registerWorker(name: "host-1", roles: ["intake"], accounts: accounts, now: begun)
            }
            func ask(_ path: String, _ body: String) async throws -> PrivateServer.Reply {
                // A worker that is silent for ten seconds is gone.
                let now = server.ledger.now()
                try await server.ledger.write { try $0.reportWorker(worker, accounts: accounts, now: now) }
                return try await server.ask("POST", path, body: body)
            }
            for path in ["/v1/campaigns", path] {
                let unknown = try await ask(path, body(app: "news"))
                #expect(unknown.status == 422 && unknown.problem == "invalid-job", "\(unknown.text)")
                #expect(errors(unknown) == ["/app unknown_app"], "\(unknown.text)")
            }
            let unserved = try await ask(path, body(app: "shop"))
            #expect(errors(unserved) == ["/audience/devices/0/provider unserved_provider"], "\(unserved.text)")
            #expect(try await ask(path, body(app: "blog")).status == 200)
            let list = #"{"id": "a", "app": "blog", "content": {"title": "Hi"}, "audience": {"list": "fans"}}"#
            #expect(errors(try await ask(path, list)) == ["/audience/list unknown_list"])
        }
    }
}
