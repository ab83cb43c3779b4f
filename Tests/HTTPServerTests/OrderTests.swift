import Campaigns
import Delivery
import PrivateServers
import Store
import Testing

@testable import HTTPServer

/// Orders by HTTP that change a campaign, and those that hold back many.
@Suite struct OrderTests {
    private func pointers(_ reply: PrivateServer.Reply) -> Set<String> {
        Set((reply.json?["errors"]?.array ?? []).compactMap { $0["pointer"]?.string })
    }

    // MARK: - One campaign

    @Test func `a campaign gets another rate, end and urgency, and its history says by whom`() async throws {
        try await PrivateServer.with(tokens: [TestTokens.token("ben", "operator")]) { server in
            try await server.accept("derby")
            func set(_ body: String, _ query: String = "") async throws -> PrivateServer.Reply {
                let path = "/v1/campaigns/news/derby:set" + query
                return try await server.ask("POST", path, token: TestTokens.text("ben"), body: body)
            }
            let dry = try await set(#"{"per_second": 20}"#, "?dry_run=true")
            #expect(dry.json?["per_second"]?.integer == 20 && dry.json?["dry_run"] == true, "\(dry.text)")
            let end = WallClock.now().asRead.advanced(by: .seconds(1800)).rfc3339
            let all = try await set(#"{"per_second": 500, "expires_at": "\#(end)", "urgency": "urgent"}"#)
            #expect(all.status == 200 && all.json?["per_second"]?.integer == 500, "\(all.text)")
            #expect(all.json?["expires_at"] == .string(end) && all.json?["dry_run"] == nil)
            let free = try await set(#"{"per_second": null}"#)
            #expect(free.status == 200 && free.json?["per_second"] == nil, "\(free.text)")
            let number = try #require(
                try await server.ledger.read { try $0.campaignNumber(app: "news", id: "derby") }
            )
            let now = server.ledger.now()
            let history = try await server.ledger.read { try $0.history(campaign: number, now: now) }
            let changes = history.filter { $0.kind == .changed }
            #expect(changes.count == 4 && changes.allSatisfy { $0.actor == "ben" }, "\(changes)")
        }
    }

    @Test func `a change that cannot be made is told with everything that is wrong, and changes nothing`() async throws
    {
        try await PrivateServer.with { server in
            try await server.accept("derby")
            func set(_ body: String, id: String = "derby") async throws -> PrivateServer.Reply {
                try await server.ask("POST", "/v1/campaigns/news/\(id):set", body: body)
            }
            let wrong = try await set(#"{"per_second": 0, "expires_at": "soon", "urgency": "slow", "rate": 1}"#)
            #expect(wrong.status == 400 && wrong.problem == "usage", "\(wrong.text)")
            #expect(pointers(wrong) == ["/per_second", "/expires_at", "/urgency", "/rate"])
            #expect(try await set("{}").status == 400)
            #expect(try await set("[]").status == 400)
            let past = try await set(#"{"per_second": 7, "expires_at": "2020-01-01T00:00:00Z"}"#)
            #expect(past.status == 400 && past.text.contains("has passed"), "\(past.text)")
            #expect(try await set(#"{"urgency": "urgent"}"#).json?["per_second"] == nil)
            #expect(try await set(#"{"urgency": "urgent"}"#, id: "cup").status == 404)
            #expect(try await server.ask("POST", "/v1/campaigns/news/derby:cancel").status == 200)
            #expect(try await set(#"{"urgency": "bulk"}"#).problem == "wrong-state")
        }
    }

    @Test func `a dry run of an order says what would be, and changes nothing`() async throws {
        try await PrivateServer.with { server in
            try await server.accept("derby")
            let dry = try await server.ask("POST", "/v1/campaigns/news/derby:cancel?dry_run=true")
            #expect(dry.json?["state"] == "cancelled" && dry.json?["dry_run"] == true, "\(dry.text)")
            let now = try await server.ask("GET", "/v1/campaigns/news/derby")
            #expect(now.json?["state"] != "cancelled" && now.json?["pending"]?.integer == 3, "\(now.text)")
            #expect(try await server.ask("POST", "/v1/campaigns/news/derby:pause?dry_run=yes").status == 400)
        }
    }

    // MARK: - Many campaigns

    @Test func `apps and providers are paused and resumed, and what is for more stays paused`() async throws {
        try await PrivateServer.with { server in
            try await server.accept("derby")
            func ask(_ path: String, _ scope: String) async throws -> PrivateServer.Reply {
                try await server.ask("POST", path, body: scope)
            }
            func paused() async throws -> Int? {
                try await server.ask("GET", "/v1/pauses").json?["pauses"]?.array?.count
            }
            let first = try await ask("/v1/pauses", #"{"app": "news", "provider": "apns"}"#)
            #expect(first.status == 200 && first.json?["existing"] == false, "\(first.text)")
            #expect(try await ask("/v1/pauses", #"{"app": "news", "provider": "apns"}"#).json?["existing"] == true)
            let dry = try await ask("/v1/pauses?dry_run=true", #"{"urgency": "bulk"}"#)
            #expect(dry.json?["dry_run"] == true && dry.json?["pauses"]?.array?.count == 2, "\(dry.text)")
            #expect(try await paused() == 1)
            let wrong = try await ask("/v1/pauses", #"{"app": "cup", "provider": "pigeon", "urgency": "slow"}"#)
            #expect(wrong.status == 400 && pointers(wrong) == ["/app", "/provider", "/urgency"], "\(wrong.text)")
            #expect(pointers(try await ask("/v1/pauses", #"{"ap": "news"}"#)) == ["/ap"])
            #expect(try await ask("/v1/pauses", "{}").status == 200)
            let one = try await ask("/v1/pauses:end", #"{"app": "news"}"#)
            #expect(one.json?["ended"]?.array?.compactMap { $0["provider"]?.string } == ["apns"], "\(one.text)")
            #expect(one.json?["held_by"]?.array?.map { $0["app"] } == [.null])
            let all = try await ask("/v1/pauses:end", "{}")
            #expect(all.json?["ended"]?.array?.count == 1 && all.json?["pauses"]?.array == [], "\(all.text)")
            #expect(try await paused() == 0)
        }
    }

    @Test func `a reload is ordered, and each worker's answer can be read, by tokens for all apps`() async throws {
        let tokens = [
            TestTokens.token("ada", "operator"), TestTokens.token("ana", "viewer"),
            TestTokens.token("ben", "operator", apps: ["shop"]),
        ]
        try await PrivateServer.with(tokens: tokens) { server in
            func ask(_ who: String, _ method: String, _ query: String = "") async throws -> PrivateServer.Reply {
                try await server.ask(method, "/v1/reload" + query, token: TestTokens.text(who))
            }
            #expect(try await ask("ana", "GET").status == 404)
            let dry = try await ask("ada", "POST", "?dry_run=true")
            #expect(dry.status == 200 && dry.json?["dry_run"] == true, "\(dry.text)")
            #expect(try await ask("ana", "GET").status == 404)
            for (who, method) in [("ana", "POST"), ("ben", "POST"), ("ben", "GET")] {
                #expect(try await ask(who, method).status == 403)
            }
            let now = server.ledger.now()
            let worker = try await server.ledger.write {
                try $0.registerWorker(name: "host.1", roles: ["sender"], accounts: .init(["news": [.apns]]), now: now)
            }
            let ordered = try await ask("ada", "POST")
            #expect(ordered.status == 200 && ordered.json?["by"] == "ada", "\(ordered.text)")
            #expect(ordered.json?["answers"]?.array?.map { $0["answer"] } == ["not_answered"])
            let order = try #require(ordered.json?["order"]?.integer)
            var health = WorkerHealth()
            health.reload = ReloadAnswer(to: order, at: now, unchanged: 0)
            health.reload?.new = ["news"]
            try await server.ledger.write { [health] in
                try $0.reportWorker(worker, accounts: .init(["news": [.apns]]), health: health, now: now)
            }
            let answers = try await ask("ana", "GET")
            let line = answers.json?["answers"]?.array?.first
            #expect(line?["answer"] == "taken_over" && line?["files"]?["new"]?.array == ["news"], "\(answers.text)")
        }
    }

    @Test func `a token for an app pauses this app alone, and sees no pause of another`() async throws {
        let tokens = [
            TestTokens.token("ada", "operator"), TestTokens.token("ana", "viewer"),
            TestTokens.token("ben", "operator", apps: ["shop", "blog"]),
        ]
        try await PrivateServer.with(tokens: tokens) { server in
            for app in ["news", "shop"] { try await server.accept("derby", app: app) }
            func ask(_ who: String, _ scope: String) async throws -> PrivateServer.Reply {
                try await server.ask("POST", "/v1/pauses", token: TestTokens.text(who), body: scope)
            }
            func apps(_ who: String) async throws -> [String?]? {
                try await server.ask("GET", "/v1/pauses", token: TestTokens.text(who)).json?["pauses"]?.array?
                    .map { $0["app"]?.string }
            }
            #expect(try await ask("ana", #"{"app": "news"}"#).status == 403)
            #expect(try await ask("ada", #"{"app": "news"}"#).status == 200)
            #expect(try await ask("ben", "{}").status == 403)
            #expect(try await ask("ben", #"{"app": "news"}"#).status == 404)
            let unknown = try await ask("ben", #"{"app": "blog"}"#)
            #expect(unknown.status == 400 && unknown.text.contains("shop"), "\(unknown.text)")
            #expect(!unknown.text.contains("news"), "\(unknown.text)")
            #expect(try await ask("ben", #"{"app": "shop"}"#).json?["pauses"]?.array?.count == 1)
            #expect(try await apps("ben") == ["shop"])
            #expect(try await apps("ana") == ["news", "shop"])
        }
    }
}
