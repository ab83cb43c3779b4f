import Campaigns
import Foundation
import PrivateServers
import Store
import Testing

@testable import HTTPServer

/// Lists, devices, parked messages, apps, status, the audit log.
@Suite struct ResourceTests {
    private func token(_ number: Int) -> String { String(repeating: "ab", count: 31) + String(format: "%02x", number) }

    @Test func `a list is uploaded as it comes, and a bad line refuses all of it`() async throws {
        try await PrivateServer.with { server in
            let csv = "token,id\n" + (0..<3).map { "\(token($0)),d\($0)\n" }.joined() + "\(token(0)),again\n"
            let path = "/v1/apps/news/lists/sport"
            let put = try await server.ask("PUT", path, body: csv, type: "text/csv; charset=utf-8")
            #expect(put.status == 201 && put.json?["devices"]?.integer == 3 && put.json?["duplicates"]?.integer == 1)
            #expect(try await server.ask("PUT", path, body: csv, type: "text/csv").status == 200)
            let lines = #"{"token": "\#(token(9))"}"# + "\n" + #"{"tokens": 1}"# + "\n"
            let bad = try await server.ask("PUT", path, body: lines, type: "application/x-ndjson")
            #expect(bad.status == 422 && bad.problem == "invalid-audience", "\(bad.text)")
            #expect(bad.json?["errors"]?.array?.first?["pointer"]?.string == "/1")
            #expect(try await server.ask("PUT", path, body: csv, type: "application/json").status == 415)
            // A generated client says only that it sends bytes, and names their type in the query.
            func status(_ type: String, as query: String) async throws -> Int {
                try await server.ask("PUT", path + "?content_type=" + query, body: csv, type: type).status
            }
            let bytes = "application/octet-stream"
            #expect(try await status(bytes, as: "text/csv") == 200)
            #expect(try await status("text/csv", as: "text/csv") == 200)
            #expect(try await status("text/csv", as: "application/x-ndjson") == 415)
            #expect(try await status(bytes, as: "text/plain") == 400)
            #expect(try await server.ask("PUT", path, body: csv, type: bytes).status == 415)
            let lists = try await server.ask("GET", "/v1/apps/news/lists").json?["lists"]?.array
            #expect(lists?.count == 1 && lists?.first?["name"]?.string == "sport")
        }
    }

    @Test func `a device is registered, shown and forgotten`() async throws {
        try await PrivateServer.with { server in
            let path = "/v1/apps/news/devices/ana-iphone"
            let body = #"{"token": "\#(token(1))", "user": "ana", "locale": "es-ES"}"#
            let put = try await server.ask("PUT", path, body: body)
            #expect(put.status == 200 && put.json?["id"]?.string == "ana-iphone", "\(put.text)")
            #expect(try await server.ask("GET", path).json?["user"]?.string == "ana")
            #expect(try await server.ask("PUT", path, body: #"{"token": "xy"}"#).problem == "invalid-audience")
            #expect(
                try await server.ask("PUT", path, body: #"{"token": "\#(token(1))", "id": "b"}"#).problem == "usage"
            )
            #expect(try await server.ask("PUT", path, body: "[1]").problem == "usage")
            #expect(try await server.ask("DELETE", path).json?["forgotten"]?.array == ["ana-iphone"])
            #expect(try await server.ask("GET", "/v1/apps/news/devices/cleo").status == 404)
        }
    }

    @Test func `a parked message is shown and discarded once`() async throws {
        try await PrivateServer.with(tokens: [
            TestTokens.token("ben", "operator"), TestTokens.token("eve", "operator", apps: ["shop"]),
        ]) { server in
            let (ben, eve) = (TestTokens.text("ben"), TestTokens.text("eve"))
            let message = ParkedMessage(
                queue: "fanfare.v1.work.apns.bulk",
                reason: "Unreadable",
                app: "news",
                body: Array("not a shard".utf8),
                at: WallClock.now().asRead
            )
            let number = try await server.ledger.write(.synced) { try $0.park(message) }
            let row = try await server.ask("GET", "/v1/parked", token: ben).json?["parked"]?.array?.first
            #expect(row?["id"]?.string == String(number) && row?["app"]?.string == "news")
            let path = "/v1/parked/\(number)"
            #expect(try await server.ask("GET", path, token: ben).json?["body"]?.string == "not a shard")
            #expect(try await server.ask("GET", path, token: eve).status == 404)
            #expect(try await server.ask("GET", "/v1/parked", token: eve).problem == "usage")
            let dry = try await server.ask("POST", path + ":discard?dry_run=true", token: ben)
            #expect(dry.json?["result"]?.string == "removed" && dry.json?["dry_run"] == true, "\(dry.text)")
            #expect(try await server.ask("POST", path + ":discard", token: ben).json?["result"]?.string == "removed")
            #expect(try await server.ask("POST", path + ":discard", token: ben).status == 404)
        }
    }

    @Test func `parked messages are handled together, by what they have in common, a page in each request`()
        async throws
    {
        let tokens = [TestTokens.token("ben", "operator"), TestTokens.token("eve", "operator", apps: ["shop"])]
        try await PrivateServer.with(tokens: tokens) { server in
            for number in 0..<ParkedMany.most + 5 {
                let message = ParkedMessage(
                    queue: "fanfare.v1.work.apns.bulk",
                    reason: number < 2 ? "DeliveryLimit" : "Unreadable",
                    app: number == 0 ? "shop" : "news",
                    body: Array("not a shard \(number)".utf8),
                    at: WallClock.now().asRead
                )
                _ = try await server.ledger.write(.synced) { try $0.park(message) }
            }
            func discard(_ who: String, _ choice: String, _ query: String = "") async throws -> PrivateServer.Reply {
                let path = "/v1/parked:discard" + query
                return try await server.ask("POST", path, token: TestTokens.text(who), body: choice)
            }
            func count(_ reply: PrivateServer.Reply) -> Int? { reply.json?["parked"]?.array?.count }
            for bad in ["{}", #"{"all": true, "reason": "Unreadable"}"#, #"{"all": false}"#, #"{"ids": []}"#] {
                #expect(try await discard("ben", bad).problem == "usage", "\(bad)")
            }
            #expect(try await discard("ben", #"{"all": true}"#, "?cursor=x").problem == "usage")
            // A token for an app handles this app's.
            #expect(try await discard("eve", #"{"all": true}"#).problem == "usage")
            #expect(try await discard("eve", #"{"app": "news"}"#).status == 404)
            let list = try await server.ask("GET", "/v1/parked?app=news&limit=1", token: TestTokens.text("ben"))
            let id = try #require(list.json?["parked"]?.array?.first?["id"]?.string)
            #expect(try await discard("eve", #"{"ids": ["\#(id)"]}"#).status == 404)
            #expect(count(try await discard("eve", #"{"app": "shop"}"#)) == 1)
            #expect(count(try await discard("ben", #"{"reason": "DeliveryLimit"}"#)) == 1)
            #expect(count(try await discard("ben", #"{"ids": ["\#(id)"]}"#)) == 1)
            let dry = try await discard("ben", #"{"all": true}"#, "?dry_run=true")
            #expect(count(dry) == ParkedMany.most && dry.json?["parked"]?.array?.first?["dry_run"] == true)
            let first = try await discard("ben", #"{"app": "news"}"#)
            #expect(count(first) == ParkedMany.most, "\(first.text)")
            let next = try #require(first.json?["next"]?.string)
            let second = try await discard("ben", #"{"app": "news"}"#, "?cursor=\(next)")
            #expect(count(second) == 2 && second.json?["next"] == .null, "\(second.text)")
            #expect(try await server.ledger.read { try $0.lastParkedID() } == 0)
        }
    }

    @Test func `webhooks are listed without their secrets, and tried again`() async throws {
        let tokens = [TestTokens.token("ben", "operator"), TestTokens.token("eve", "operator", apps: ["shop"])]
        try await PrivateServer.with(tokens: tokens) { server in
            let (ben, eve, now) = (TestTokens.text("ben"), TestTokens.text("eve"), server.ledger.now())
            let hook = WebhookEntry(url: "https://hooks.example.com/secret", kinds: .ofLife, digest: [1])
            _ = try await server.ledger.write(.synced) { try $0.setWebhooks(["news": [hook]], now: now) }
            let list = try await server.ask("GET", "/v1/webhooks?app=news", token: ben)
            let row = try #require(list.json?["webhooks"]?.array?.first, "\(list.text)")
            #expect(row["state"] == "ok" && row["host"] == "https://hooks.example.com" && !list.text.contains("secret"))
            let path = "/v1/webhooks/\(try #require(row["id"]?.integer)):resume"
            let resumed = try await server.ask("POST", path, token: ben)
            #expect(resumed.status == 200 && resumed.json?["app"] == "news", "\(resumed.text)")
            #expect(try await server.ask("POST", path, token: eve).status == 404)
            #expect(try await server.ask("GET", "/v1/webhooks", token: eve).json?["webhooks"]?.array == [])
            #expect(try await server.ask("POST", "/v1/webhooks/99:resume", token: ben).status == 404)
            #expect(try await server.ask("POST", "/v1/webhooks/x:resume", token: ben).status == 404)
        }
    }

    @Test func `who did what is written down, refusals too, and only an admin sees it`() async throws {
        let tokens = [
            TestTokens.token("ada", "admin"), TestTokens.token("ben", "operator"), TestTokens.token("ana", "viewer"),
        ]
        try await PrivateServer.with(tokens: tokens) { server in
            try await server.accept("derby")
            _ = try await server.ask("POST", "/v1/campaigns/news/derby:pause", token: TestTokens.text("ben"))
            _ = try await server.ask("POST", "/v1/campaigns/news/derby:cancel", token: TestTokens.text("ana"))
            _ = try await server.ask("GET", "/v1/campaigns/news/derby", token: TestTokens.text("ana"))
            let log = try await server.ask("GET", "/v1/audit", token: TestTokens.text("ada"))
            let entries = try #require(log.json?["entries"]?.array)
            #expect(entries.map { $0["actor"]?.string } == ["ana", "ben"])
            #expect(entries.map { $0["operation"]?.string } == ["cancelCampaign", "pauseCampaign"])
            #expect(entries.map { $0["status"]?.integer } == [403, 200])
            #expect(entries.first?["path"]?.string == "/v1/campaigns/news/derby:cancel")
            #expect(try await server.ask("GET", "/v1/audit", token: TestTokens.text("ben")).status == 403)
        }
    }

    @Test func `the fleet's status says what is missing, and apps have no secrets`() async throws {
        try await PrivateServer.with { server in
            let status = try await server.ask("GET", "/v1/status")
            #expect(status.status == 200 && status.json?["needs"]?.array?.isEmpty == false, "\(status.text)")
            #expect(try await server.ask("GET", "/v1/apps").json?["apps"]?.array == [])
        }
    }

    @Test func `a push to one device is an urgent job`() throws {
        let body = JSONReader.read(Array(#"{"app": "news", "device": {"token": "a"}, "delivery": {"ttl": 5}}"#.utf8))
        let send = SendBody(try #require(body.value?.members), key: nil)
        #expect(
            send.job.text
                == #"{"app":"news","delivery":{"ttl":5,"urgency":"urgent"},"audience":{"devices":[{"token":"a"}]}}"#
        )
        #expect(send.problems == [] && SendBody([], key: nil).problems.map(\.pointer) == ["/device"])
        // A campaign without a push has no priority to raise.
        let inApp = SendBody([JSONMember("kind", "in_app"), JSONMember("user", "ana")], key: nil)
        #expect(inApp.job.text == #"{"kind":"in_app","audience":{"users":["ana"]}}"#)
        let both = [JSONMember("device", [:]), JSONMember("audience", [:])]
        #expect(SendBody(both, key: nil).problems.map(\.pointer) == ["/audience"])
    }
}
