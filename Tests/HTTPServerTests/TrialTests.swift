import Campaigns
import PrivateServers
import Testing

@testable import HTTPServer

/// Trials of a job, before anything is sent.
@Suite struct TrialTests {
    private func token(_ number: Int) -> String { String(repeating: "ab", count: 31) + "0\(number)" }

    private func job(_ audience: String, title: String = "Kick-off") -> String {
        #"{"id": "derby", "app": "news", "content": {"title": "\#(title)"}, "audience": \#(audience)}"#
    }

    private var devices: String {
        #"{"devices": [{"token": "\#(token(1))", "id": "ana"}, {"token": "\#(token(2))", "id": "ben"}]}"#
    }

    @Test func `a job is rendered for its devices, and nothing is published`() async throws {
        // Without a broker: a preview needs none.
        try await PrivateServer.with { server in
            let path = "/v1/campaigns:preview"
            let reply = try await server.ask("POST", path, body: job(devices))
            #expect(reply.status == 200 && reply.json?["devices"]?.integer == 2, "\(reply.text)")
            #expect(reply.json?["counts"] == ["sent": 2])
            let sample = try #require(reply.json?["samples"]?.array?.first)
            #expect(sample["device"] == "ana" && sample["payload"]?["aps"]?["alert"]?["title"] == "Kick-off")
            let one = try await server.ask("POST", path + "?device=ben", body: job(devices))
            #expect(one.json?["samples"]?.array?.map { $0["device"]?.string } == ["ben"], "\(one.text)")
            #expect(try await server.ask("POST", path + "?device=cleo", body: job(devices)).problem == "usage")
            let long = job(devices, title: String(repeating: "x", count: 5_000))
            #expect(try await server.ask("POST", path, body: long).problem == "invalid-job")
            let list = try await server.ask("POST", path, body: job(#"{"list": "fans"}"#))
            #expect(list.status == 422, "\(list.text)")
            #expect(list.json?["errors"]?.array?.map { $0["pointer"]?.string } == ["/audience"])
            #expect(try await server.ask("POST", path, body: "{").status == 422)
        }
    }

    @Test func `an audience is counted before there is a job`() async throws {
        try await PrivateServer.with(tokens: [TestTokens.token("ben", "operator", apps: ["news"])]) { server in
            let ben = TestTokens.text("ben")
            func check(_ body: String) async throws -> PrivateServer.Reply {
                try await server.ask("POST", "/v1/audience:check", token: ben, body: body)
            }
            func audience(_ text: String) -> String { #"{"app": "news", "audience": \#(text)}"# }
            let csv = "token,locale\n\(token(1)),es\n\(token(2)),\n"
            let put = try await server.ask("PUT", "/v1/apps/news/lists/fans", token: ben, body: csv, type: "text/csv")
            #expect(put.status == 201, "\(put.text)")
            let list = try await check(audience(#"{"list": "fans"}"#))
            #expect(list.status == 200 && list.json?["devices"]?.integer == 2, "\(list.text)")
            #expect(list.json?["providers"] == ["apns": 2] && list.json?["locales"]?["es"]?.integer == 1)
            #expect(try await check(job(#"{"list": "fans"}"#)).json?["devices"]?.integer == 2)
            #expect(try await check(audience(#"{"everyone": true}"#)).json?["devices"]?.integer == 0)
            let unknown = try await check(audience(#"{"list": "cup"}"#))
            #expect(unknown.status == 422 && unknown.problem == "invalid-audience", "\(unknown.text)")
            #expect(unknown.json?["errors"]?.array?.map { $0["code"]?.string } == ["unknown_list"])
            let excluded = try await check(audience(#"{"everyone": true, "exclude": {"list": "cup"}}"#))
            #expect(excluded.json?["errors"]?.array?.map { $0["pointer"]?.string } == ["/audience/exclude/list"])
            let wrong = try await check(audience(#"{"segment": "league:a &&"}"#))
            #expect(wrong.status == 422 && wrong.text.contains("/audience/segment"), "\(wrong.text)")
            #expect(try await check(#"{"app": "shop", "audience": {"everyone": true}}"#).status == 404)
            #expect(try await check("[]").status == 400)
            let path = "/v1/audience:check?exact="
            let body = audience(#"{"list": "fans"}"#)
            let exact = try await server.ask("POST", path + "true", token: ben, body: body)
            #expect(exact.json?["estimated"] == .bool(false) && exact.json?["error"]?.integer == 0, "\(exact.text)")
            #expect(try await server.ask("POST", path + "maybe", token: ben, body: body).status == 400)
        }
    }
}
