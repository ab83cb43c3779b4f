import Campaigns
import Delivery
import Foundation
import NIOPosix
import PrivateServers
import PushProviders
import Store
import TLS
import Testing
import Transport

@testable import HTTPServer

/// Campaigns by HTTP: sent through a real broker, read and changed in a ledger without a worker.
@Suite struct CampaignTests {
    private let token = String(repeating: "0a", count: 32)

    private func job(_ id: String? = "derby", app: String = "news", more: String = "") -> String {
        let id = id.map { #""id": "\#($0)", "# } ?? ""
        return #"{\#(id)"app": "\#(app)", "content": {"title": "Kick-off"}, "#
            + #""audience": {"devices": [{"token": "\#(token)"}]}, "delivery": {"ttl": 600}\#(more)}"#
    }

    private func waiting(_ url: String) async throws -> Int {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let client = try await AMQPClient.connect(try AMQPEndpoint(parsing: url), name: "test", on: loop)
        let counts = try await client.counts(of: BrokerNames.campaignsQueue)
        await client.close()
        return Int(counts?.ready ?? 0)
    }

    @Test func `a job is answered when the broker has it, and once is once`() async throws {
        let url = try await TestBroker.url("api-send")
        try await PrivateServer.with(broker: url) { server in
            let reply = try await server.ask("POST", "/v1/campaigns", body: job())
            #expect(reply.status == 202, "\(reply.text)")
            #expect(reply.fields["location"] == "/v1/campaigns/news/derby")
            #expect(reply.json?["verdict"]?.string == "pending" && reply.json?["campaign"]?.string == "derby")
            #expect(try await waiting(url) == 1)
            let keyed = try await server.ask("POST", "/v1/campaigns", headers: ["Idempotency-Key: k1"], body: job(nil))
            #expect(keyed.status == 202 && keyed.fields["location"] == "/v1/campaigns/news/k1", "\(keyed.text)")
            let two = try await server.ask("POST", "/v1/campaigns", headers: ["Idempotency-Key: k2"], body: job())
            #expect(two.status == 422 && two.problem == "invalid-job", "\(two.text)")
            #expect(try await waiting(url) == 2)
            #expect(try await server.ask("GET", "/readyz").status == 200)
        }
    }

    @Test func `everything that is wrong is told at once, with pointers, and nothing is published`() async throws {
        try await PrivateServer.with { server in
            let wrong = job(more: #", "contents": 1, "kind": "song""#)
            for path in ["/v1/campaigns", "/v1/campaigns:validate"] {
                let reply = try await server.ask("POST", path, body: wrong)
                #expect(reply.status == 422 && reply.fields["content-type"] == "application/problem+json")
                let errors = try #require(reply.json?["errors"]?.array)
                let pointers = Set(errors.compactMap { $0["pointer"]?.string })
                #expect(pointers.isSuperset(of: ["/contents", "/kind"]))
            }
            #expect(try await server.ask("POST", "/v1/campaigns", body: "{").status == 422)
            #expect(try await server.ask("POST", "/v1/campaigns", body: job(), type: "text/plain").status == 415)
            #expect(try await server.ask("POST", "/v1/campaigns").status == 415)
            let large = String(repeating: " ", count: 5 << 20)
            let reply = try await server.ask("POST", "/v1/campaigns", body: large)
            #expect(reply.status == 413 && reply.problem == "too-large")
            let valid = try await server.ask("POST", "/v1/campaigns:validate", body: job())
            #expect(valid.status == 200 && valid.json?["verdict"]?.string == "valid", "\(valid.text)")
        }
    }

    @Test func `a check says when the last device is reached, what decides it, and who would expire`() async throws {
        func job(_ delivery: String) -> String {
            let devices = (0..<3).map { #"{"token": "\#(String(repeating: "0\($0)", count: 32))"}"# }
            return #"{"id": "derby", "app": "news", "content": {"title": "Kick-off"}, "#
                + #""audience": {"devices": [\#(devices.joined(separator: ", "))]}, "delivery": \#(delivery)}"#
        }
        try await PrivateServer.with { server in
            func check(_ delivery: String) async throws -> PrivateServer.Reply {
                try await server.ask("POST", "/v1/campaigns:validate", body: job(delivery))
            }
            let slow = try await check(#"{"ttl": 2, "per_second": 1, "hold": true}"#)
            #expect(slow.status == 200, "\(slow.text)")
            let warnings = slow.json?["warnings"]?.array ?? []
            #expect(warnings.compactMap { $0["code"]?.string } == ["too_slow"], "\(slow.text)")
            let forecast = try #require(slow.json?["forecast"])
            #expect(forecast["expiring"]?.integer == 1 && forecast["seconds"]?["likely"]?.integer == 3)
            let apns = try #require(forecast["providers"]?.array?.first)
            #expect(apns["devices"]?.integer == 3 && apns["limit"]?.string == "per_second")
            #expect(apns["basis"]?.string == "set" && apns["per_second"]?.integer == 1)
            // Without a rate the workers decide, of which none is there.
            let free = try await check(#"{"ttl": 600}"#)
            let limit = free.json?["forecast"]?["providers"]?.array?.first
            #expect(limit?["basis"]?.string == "assumed" && free.json?["warnings"]?.array == [], "\(free.text)")
            // A held campaign has no instants before it is fired.
            #expect(forecast["reached_at"] == .null)
            #expect(free.json?["forecast"]?["reached_at"]?["likely"]?.string?.hasSuffix("Z") == true, "\(free.text)")
        }
    }

    @Test func `what other campaigns of the app have waiting is in the way of its rate`() async throws {
        let apps = """
            apps:
              news:
                per_second: 1
                apns: {topic: a.b, team_id: ABCDE12345, key_id: 1234567890, key_file: key.p8}
            """
        let key = try ES256.generateKey().privateKeyPEM
        let prepare: (String) throws -> Void = { folder in
            try apps.write(toFile: folder + "/apps.yaml", atomically: true, encoding: .utf8)
            try Data(key).write(to: URL(fileURLWithPath: folder + "/key.p8"))
        }
        try await PrivateServer.with(prepare: prepare) { server in
            let alone = try await server.ask("POST", "/v1/campaigns:validate", body: job())
            let first = try #require(alone.json?["forecast"]?["seconds"], "\(alone.text)")
            #expect(first["likely"]?.integer == 1 && first["latest"]?.integer == 1)
            try await server.accept("sale")
            let beside = try await server.ask("POST", "/v1/campaigns:validate", body: job())
            let seconds = try #require(beside.json?["forecast"]?["seconds"], "\(beside.text)")
            // Taking turns, one of the three goes first; at the latest all of them do.
            #expect(seconds["likely"]?.integer == 2 && seconds["latest"]?.integer == 4, "\(beside.text)")
        }
    }

    @Test func `a job that comes again after its end is the campaign that it became, and only that one`() async throws {
        func ended(_ id: String, title: String = "Kick-off") -> String {
            #"{"id": "\#(id)", "app": "news", "content": {"title": "\#(title)"}, "#
                + #""audience": {"devices": [{"token": "\#(token)"}]}, "delivery": {"expires_at": "2026-01-01T12:00:00Z"}}"#
        }
        try await PrivateServer.with { server in
            var envelope = JobEnvelope(
                messageID: nil,
                contentType: "application/json",
                type: JobDecoder.messageType,
                timestampSeconds: nil,
                now: server.ledger.now(),
                tokens: ProviderRegistry.tokens
            )
            envelope.judgesTime = false
            let job = try #require(JobDecoder.decode(Array(ended("derby").utf8), envelope: envelope).job)
            var campaign = PrivateServer.campaign("derby")
            campaign.identity = SHA256.digest(job.canonicalJSON())
            try await server.accept([campaign])
            // Without a broker: known jobs need none.
            for path in ["/v1/campaigns", "/v1/campaigns:validate"] {
                let reply = try await server.ask("POST", path, body: ended("derby"))
                #expect(reply.status == 200 && reply.json?["verdict"]?.string == "existing", "\(reply.text)")
            }
            let other = try await server.ask("POST", "/v1/campaigns", body: ended("derby", title: "Goal"))
            #expect(other.status == 409 && other.problem == "campaign-conflict", "\(other.text)")
            let new = try await server.ask("POST", "/v1/campaigns", body: ended("final"))
            #expect(new.status == 422 && new.problem == "invalid-job", "\(new.text)")
        }
    }

    @Test func `without a broker a job is not taken, and the probe says why`() async throws {
        try await PrivateServer.with { server in
            let reply = try await server.ask("POST", "/v1/campaigns", body: job())
            #expect(reply.status == 503 && reply.problem == "unavailable", "\(reply.text)")
            #expect(reply.fields["retry-after"] != nil)
            let ready = try await server.ask("GET", "/readyz")
            #expect(ready.status == 503 && ready.text.contains("127.0.0.1:1"), "\(ready.text)")
            #expect(try await server.ask("GET", "/livez").text == "ok\n")
        }
    }

    @Test func `a campaign is looked at by its id, and by its app when two have it`() async throws {
        try await PrivateServer.with { server in
            try await server.accept("derby")
            let one = try await server.ask("GET", "/v1/campaigns/derby")
            #expect(one.status == 200 && one.json?["audience"]?.integer == 3 && one.json?["pending"]?.integer == 3)
            try await server.accept("derby", app: "shop")
            let two = try await server.ask("GET", "/v1/campaigns/derby")
            #expect(two.status == 409 && two.problem == "ambiguous-campaign")
            #expect(try await server.ask("GET", "/v1/campaigns/shop/derby").json?["app"]?.string == "shop")
            #expect(try await server.ask("GET", "/v1/campaigns/shop/cup").problem == "not-found")
            #expect(try await server.ask("HEAD", "/v1/campaigns/shop/derby").text.isEmpty)
        }
    }

    @Test func `the list is filtered, and comes in pages`() async throws {
        try await PrivateServer.with { server in
            for number in 1...5 { try await server.accept("c\(number)", tags: number == 2 ? ["sport"] : []) }
            try await server.accept("other", app: "shop")
            func ids(_ query: String) async throws -> ([String], String?) {
                let reply = try await server.ask("GET", "/v1/campaigns" + query)
                let rows = try #require(reply.json?["campaigns"]?.array, "\(reply.text)")
                return (rows.compactMap { $0["id"]?.string }, reply.json?["next"]?.string)
            }
            let first = try await ids("?app=news&limit=2")
            #expect(first.0 == ["c5", "c4"])
            let second = try await ids("?app=news&limit=2&cursor=\(try #require(first.1))")
            #expect(second.0 == ["c3", "c2"])
            let third = try await ids("?app=news&limit=2&cursor=\(try #require(second.1))")
            #expect(third.0 == ["c1"] && third.1 == nil)
            #expect(try await ids("?tag=sport").0 == ["c2"])
            #expect(try await ids("?search=C3").0 == ["c3"])
            #expect(try await ids("?search=SHO").0 == ["other"])
            let longest = String(repeating: "x", count: CampaignRoutes.searchMax)
            #expect(try await ids("?search=\(longest)").0.isEmpty)
            #expect(try await server.ask("GET", "/v1/campaigns?search=\(longest)x").problem == "usage")
            let found = try await ids("?search=c&limit=2&cursor=\(try #require(first.1))")
            #expect(found.0 == ["c3", "c2"] && found.1 != nil)
            #expect(try await ids("?state=completed&state=paused").0.isEmpty)
            for bad in [
                "?limit=0", "?limit=x", "?state=gone", "?cursor=-1", "?apps=news", "?app=a%20b", "?limit=%", "?search=",
                "?search=%0A",
            ] {
                #expect(try await server.ask("GET", "/v1/campaigns" + bad).problem == "usage", "\(bad)")
            }
        }
    }

    @Test func `a campaign's rate comes with what was done, and the list says how it ended`() async throws {
        try await PrivateServer.with(tokens: [TestTokens.token("ben", "operator", apps: ["news"])]) { server in
            let ben = TestTokens.text("ben")
            try await server.accept("derby")
            try await server.accept("derby", app: "shop")
            for verb in ["pause", "resume", "cancel"] {
                #expect(try await server.ask("POST", "/v1/campaigns/news/derby:\(verb)", token: ben).status == 200)
            }
            let rate = try await server.ask("GET", "/v1/campaigns/news/derby/rate", token: ben)
            let (columns, step) = (try #require(rate.json?["outcomes"]), rate.json?["step_seconds"]?.integer)
            let count = try #require(rate.json?["devices"]?.array?.count, "\(rate.text)")
            #expect(count >= 1 && step == 1 && columns.members?.count == 7)
            #expect(columns.members?.allSatisfy { $0.value.array?.count == count } == true)
            let marks = try #require(rate.json?["marks"]?.array)
            #expect(
                marks.compactMap { $0["type"]?.string } == [
                    "campaign.accepted", "campaign.paused", "campaign.resumed", "campaign.cancelled",
                    "campaign.completed",
                ]
            )
            #expect(marks[1]["by"] == "ben")
            let list = try await server.ask("GET", "/v1/campaigns", token: ben)
            let rows = try #require(list.json?["campaigns"]?.array)
            #expect(rows.count == 1 && rows[0]["cancelled"] == 3 && rows[0]["accepted"] == 0, "\(list.text)")
            #expect(try await server.ask("GET", "/v1/campaigns/shop/derby/rate", token: ben).status == 404)
            #expect(try await server.ask("GET", "/v1/campaigns/news/cup/rate", token: ben).status == 404)
        }
    }

    @Test func `orders are given once, by name, and refused when there is nothing to do`() async throws {
        try await PrivateServer.with(tokens: [TestTokens.token("ben", "operator")]) { server in
            let ben = TestTokens.text("ben")
            try await server.accept("derby")
            func order(_ verb: String) async throws -> PrivateServer.Reply {
                try await server.ask("POST", "/v1/campaigns/news/derby:\(verb)", token: ben)
            }
            let paused = try await order("pause")
            #expect(paused.status == 200 && paused.json?["state"]?.string == "paused", "\(paused.text)")
            #expect(try await order("resume").json?["paused_by"]?.array == [])
            #expect(try await order("fire").problem == "wrong-state")
            #expect(try await order("cancel").json?["state"]?.string == "cancelled")
            let late = try await order("pause")
            #expect(late.status == 409 && late.problem == "wrong-state")
            let number = try await server.ledger.read { try $0.campaignNumber(app: "news", id: "derby") }
            let campaign = try #require(number)
            let history = try await server.ledger.read {
                try $0.history(campaign: campaign, now: WallClock.now().asRead)
            }
            #expect(history.filter { $0.kind == .paused || $0.kind == .cancelled }.map(\.actor) == ["ben", "ben"])
            #expect(try await server.ask("POST", "/v1/campaigns/news/cup:pause", token: ben).status == 404)
        }
    }

    @Test func `requests are counted by what they were for`() async throws {
        try await PrivateServer.with { server in
            _ = try await server.ask("GET", "/v1/campaigns/news/cup", headers: ["X-Request-ID: mine-1"])
            let text = try await server.ask("GET", "/metrics").text
            #expect(text.contains(#"fanfare_http_requests_total{operation="getCampaign",status="404"} 1"#), "\(text)")
            #expect(text.contains("process_resident_memory_bytes "))
            let reply = try await server.ask("GET", "/nothing", headers: ["X-Request-ID: mine-1"])
            #expect(reply.status == 404 && reply.fields["x-request-id"] == "mine-1")
            let wrong = try await server.ask("PUT", "/v1/campaigns")
            #expect(wrong.status == 405 && wrong.fields["allow"] == "POST, GET", "\(wrong.fields)")
        }
    }
}
