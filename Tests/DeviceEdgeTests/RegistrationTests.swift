import Campaigns
import Foundation
import PrivateServers
import Store
import Testing

@testable import DeviceEdge
@testable import Settings

/// Each row of the contract's table of registrations, by a real HTTP client.
@Suite struct RegistrationTests {
    private let key = EdgeFixture.key("news")

    @Test(arguments: EdgeHTTP.allCases)
    func `the first registration gets a secret, which is shown once and kept as a hash`(http: EdgeHTTP) async throws {
        try await EdgeFixture.with(http: http) { server in
            let first = try await server.register("ana", key: key, #""user": "ana", "kit_version": "1.0.0""#)
            #expect(first.status == 201 && first.word == "registered", "\(first.text)")
            let secret = try #require(first.json?["device_secret"]?.string)
            #expect(secret.utf8.count == 43)
            let again = try await server.register("ana", key: secret, #""user": "ana""#)
            #expect(again.status == 200 && again.word == "registered" && again.json?["device_secret"] == nil)
            let device = try #require(try await server.device("ana"))
            #expect(device.user == "ana" && device.state == .live && device.kitVersion == "1.0.0")
            #expect(device.secretHash == EdgeSecret.hash(secret))
            #expect(device.traits.registeredAt != nil)
        }
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `a device says its activities' tokens beside its own, which replace those that it had`(
        http: EdgeHTTP
    ) async throws {
        try await EdgeFixture.with(http: http) { server in
            func token(_ number: Int) -> String { String(repeating: "cd", count: 79) + "0\(number)" }
            func known() async throws -> [ActivityToken] {
                let number = try #require(try await server.device("ana")).number
                return try await server.ledger.read { try $0.activities(of: number) }
            }
            let both = #"""
                "activities": [
                    {"type": "Match", "token": "\#(token(1))"},
                    {"type": "Match", "id": "match-7", "token": "\#(token(2))"}
                ]
                """#
            let first = try await server.register("ana", key: key, both)
            #expect(first.status == 201, "\(first.text)")
            let secret = try #require(first.json?["device_secret"]?.string)
            #expect(try await known().map(\.id) == [nil, "match-7"])
            #expect(try await known().last?.token == [UInt8](repeating: 0xCD, count: 79) + [2])
            // The own token need not be said again, and what is not said stays.
            let silent = try await server.register("ana", key: secret, token: nil, #""badge": 0"#)
            #expect(silent.status == 200, "\(silent.text)")
            #expect(try await known().count == 2)
            let start = #""activities": [{"type": "Match", "token": "\#(token(1))"}]"#
            #expect(try await server.register("ana", key: secret, token: nil, start).status == 200)
            #expect(try await known().map(\.id) == [nil])
        }
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `no key is 401, a key or secret that nobody has is 403, and nothing is stored`(http: EdgeHTTP) async throws {
        try await EdgeFixture.with(http: http) { server in
            let none = try await server.register("ana", key: nil)
            #expect(none.status == 401 && none.word == "integration_key_empty", "\(none.text)")
            #expect(none.fields["www-authenticate"] == #"Bearer realm="fanfare""#)
            let wrong = [EdgeFixture.key("quiet"), EdgeSecret.device(), TestTokens.text("ada"), key + "x"]
            for text in wrong {
                let reply = try await server.register("ana", key: text)
                #expect(reply.status == 403 && reply.word == "integration_key_unknown", "\(reply.text)")
            }
            #expect(try await server.ledger.read { try $0.hasDevices(app: "news") } == false)
        }
    }

    @Test(arguments: [
        (#"{"token": "xyz"}"#, "token_invalid", "/token"),
        (#"{"token": 5}"#, "token_invalid", "/token"),
        (#"{"token": "ab", "provider": "fcm"}"#, "token_invalid", "/token"),
        (#"{"token": "T", "provider": "pigeon"}"#, "token_invalid", "/provider"),
        (#"{"token": "T", "environment": "moon"}"#, "token_invalid", "/environment"),
        ("{}", "token_invalid", "/token"),
        (#"{"provider": "apns"}"#, "token_invalid", "/provider"),
        (#"{"token": "T", "id": "ana"}"#, "unexpected_error", "/id"),
        (#"{"token": "T", "registered_at": "2026-11-20T21:05:00Z"}"#, "unexpected_error", "/registered_at"),
        (#"{"token": "T", "locale": "es_ES!"}"#, "unexpected_error", "/locale"),
        (#"{"token": "T", "permission": "maybe"}"#, "unexpected_error", "/permission"),
        (#"{"token": "T", "kit_version": "new"}"#, "unexpected_error", "/kit_version"),
        (#"{"token": "T", "badge": -1}"#, "unexpected_error", "/badge"),
        (#"{"token": "T", "tags": ["a"]}"#, "unexpected_error", "/tags"),
        (#"{"token": "T", "tags": {"set": ["a"]}}"#, "unexpected_error", "/tags/set"),
        (#"{"token": "T", "user": ""}"#, "unexpected_error", "/user"),
        (#"{"token": "T", "activities": {}}"#, "unexpected_error", "/activities"),
        (#"{"token": "T", "activities": [{"type": "Match"}]}"#, "unexpected_error", "/activities/0/token"),
        (#"{"token": "T", "activities": [{"token": "T"}]}"#, "unexpected_error", "/activities/0/type"),
        (#"{"token": "T", "activities": [{"type": "A/B", "token": "T"}]}"#, "unexpected_error", "/activities/0/type"),
        (
            #"{"token": "T", "activities": [{"type": "Match", "id": "a b", "token": "T"}]}"#, "unexpected_error",
            "/activities/0/id"
        ),
        (
            #"{"token": "T", "activities": [{"type": "M", "token": "T"}, {"type": "M", "token": "T"}]}"#,
            "unexpected_error", "/activities/1"
        ),
    ])
    func `what cannot be registered is 422 with a pointer, and nothing is stored`(
        _ body: String,
        _ word: String,
        _ pointer: String
    ) async throws {
        try await EdgeFixture.with(more: ", device_tags: true") { server in
            let text = body.replacing("\"T\"", with: "\"\(EdgeFixture.token(1))\"")
            let reply = try await server.ask("PUT", "/v1/devices/ana", token: key, body: text)
            #expect(reply.status == 422 && reply.word == word && reply.pointer == pointer, "\(reply.text)")
            #expect(!reply.reason.isEmpty && !reply.reason.contains(EdgeFixture.token(1)))
            #expect(try await server.ledger.read { try $0.hasDevices(app: "news") } == false)
        }
    }

    @Test func `a provider that the app does not send by is refused with the ones that it has`() async throws {
        try await EdgeFixture.with { server in
            let body = #"{"token": "\#(String(repeating: "f", count: 150))", "provider": "fcm"}"#
            let reply = try await server.ask("PUT", "/v1/devices/ana", token: key, body: body)
            #expect(reply.status == 422 && reply.word == "token_invalid" && reply.pointer == "/provider")
            #expect(reply.reason == "news does not send through fcm, but through apns")
        }
    }

    @Test(arguments: ["token-1", "a%20b", "a%2Fb", String(repeating: "a", count: 129), "%C3%A4"])
    func `an id in another form is refused`(_ id: String) async throws {
        try await EdgeFixture.with { server in
            let reply = try await server.register(id, key: key)
            #expect(reply.status == 422 && reply.reason.contains("A-Z a-z 0-9 . _ : -"), "\(reply.text)")
            #expect(try await server.ledger.read { try $0.hasDevices(app: "news") } == false)
        }
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `what a refresh does not say stays, null logs out, badge 0 resets the count`(http: EdgeHTTP) async throws {
        try await EdgeFixture.with(http: http, more: ", device_tags: true") { server in
            let words = #"""
                "user": "ana", "badge": 7, "locale": "es-ES", "time_zone": "Europe/Madrid", "app_version": "3.2.0",
                "permission": "authorized", "tags": {"add": ["derby", "cup"]}, "attributes": {"team": "atleti"}
                """#
            let secret = try #require(try await server.register("ana", key: key, words).json?["device_secret"]?.string)
            #expect(try await server.register("ana", key: secret, token: nil).status == 200)
            var device = try #require(try await server.device("ana"))
            #expect(device.user == "ana" && device.badge == 7 && device.traits.tags == ["cup", "derby"])
            let more =
                #""user": null, "badge": 0, "tags": {"add": ["final"], "remove": ["cup"]}, "permission": "denied""#
            #expect(try await server.register("ana", key: secret, token: nil, more).status == 200)
            device = try #require(try await server.device("ana"))
            #expect(device.user == nil && device.badge == 0 && device.traits.tags == ["derby", "final"])
            #expect(device.traits.permission == .denied && device.traits.locale == "es-ES")
            #expect(device.traits.attributes == ["team": .text("atleti")])
        }
    }

    @Test func `tags and attributes are refused by name where the app does not let devices set them`() async throws {
        try await EdgeFixture.with { server in
            let cases = [
                (#""tags": {"add": ["derby"]}"#, "/tags"), (#""attributes": {"team": "atleti"}"#, "/attributes"),
            ]
            for (members, pointer) in cases {
                let reply = try await server.register("ana", key: key, members)
                #expect(reply.status == 422 && reply.pointer == pointer && reply.reason.contains("edge.device_tags"))
            }
            #expect(try await server.device("ana") == nil)
        }
    }

    @Test func `an integration key does not open a device that has a secret`() async throws {
        try await EdgeFixture.with { server in
            let secret = try await server.secret("ana")
            let taken = try await server.register("ana", key: key, token: 2, #""user": "eve""#)
            #expect(taken.status == 409 && taken.word == "device_exists", "\(taken.text)")
            #expect(taken.reason.contains("new id") && taken.json?["device_secret"] == nil)
            let device = try #require(try await server.device("ana"))
            #expect(device.user == nil && device.secretHash == EdgeSecret.hash(secret))
        }
    }

    @Test func `who shows the device's own token has lost the secret, and gets another`() async throws {
        try await EdgeFixture.with { server in
            let old = try await server.secret("ana")
            let again = try await server.register("ana", key: key)
            let secret = try #require(again.json?["device_secret"]?.string, "\(again.text)")
            #expect(again.status == 200 && secret != old)
            #expect(try await server.register("ana", key: old).word == "integration_key_unknown")
            #expect(try await server.register("ana", key: secret).status == 200)
        }
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `a token that moves to another installation is that one's alone, and each keeps its secret`(
        http: EdgeHTTP
    ) async throws {
        try await EdgeFixture.with(http: http) { server in
            let ana = try await server.secret("ana", token: 1)
            let ben = try await server.secret("ben", token: 2)
            // Ben's phone goes to a new installation, then Ana's token to Ben's.
            let new = try await server.secret("new", token: 2)
            #expect(try await server.register("ben", key: ben, token: 1, #""user": "ben""#).status == 200)
            let devices = [
                try await server.device("ana"), try await server.device("ben"), try await server.device("new"),
            ]
            #expect(devices.map { $0?.state } == [.tokenless, .live, .live])
            #expect(devices[1]?.user == "ben")
            #expect(devices.map { $0?.secretHash } == [ana, ben, new].map(EdgeSecret.hash))
            let lost = try await server.register("ana", key: ana, token: nil)
            #expect(lost.status == 422 && lost.word == "token_invalid" && lost.pointer == "/token", "\(lost.text)")
            #expect(try await server.register("ana", key: ana, token: 3).status == 200)
            #expect(try await server.device("ana")?.state == .live)
        }
    }

    @Test func `a token that another user says moves to that user`() async throws {
        try await EdgeFixture.with { server in
            let secret = try await server.secret("ana")
            #expect(try await server.register("ana", key: secret, #""user": "ana""#).status == 200)
            #expect(try await server.register("ana", key: secret, #""user": "ben""#).status == 200)
            #expect(try await server.ledger.read { try $0.devices(app: "news", user: "ana") }.isEmpty)
            #expect(try await server.ledger.read { try $0.devices(app: "news", user: "ben") }.count == 1)
        }
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `a device that goes is a tombstone, its secret is nobody's, and it may come back`(http: EdgeHTTP) async throws
    {
        try await EdgeFixture.with(http: http) { server in
            let secret = try await server.secret("ana")
            let other = try await server.secret("ben", token: 2)
            #expect(try await server.ask("DELETE", "/v1/devices/ana", token: other, atEdge: true).status == 403)
            #expect(try await server.ask("DELETE", "/v1/devices/ana", token: key, atEdge: true).status == 403)
            #expect(try await server.device("ana")?.state == .live)
            let gone = try await server.ask("DELETE", "/v1/devices/ana", token: secret, atEdge: true)
            #expect(gone.status == 200 && gone.word == "forgotten", "\(gone.text)")
            let tombstone = try #require(try await server.device("ana"))
            #expect(tombstone.state == .forgotten && tombstone.token == nil && tombstone.secretHash == nil)
            #expect(try await server.register("ana", key: secret).word == "integration_key_unknown")
            let back = try await server.register("ana", key: key)
            #expect(back.status == 201 && back.json?["device_secret"]?.string != secret, "\(back.text)")
            #expect(try await server.device("ana")?.state == .live)
        }
    }
}
