import Campaigns
import Delivery
import Foundation
import PrivateServers
import PushProviders
import Servers
import Store
import Testing

@testable import DeviceEdge
@testable import Fleet
@testable import Settings

/// A device's messages at a session's start, by an independent client.
@Suite("Sessions")
struct SessionTests {
    /// An in-app campaign as intake accepts it, live at once.
    private struct Wanted {
        var id: String
        var audience = #"{"everyone": true}"#
        var message = #"{"type": "slideup", "message": "Hi"}"#
        var localizations = "{}"
        var more = ""

        var job: String {
            """
            {"id": "\(id)", "app": "news", "kind": "in_app", "audience": \(audience),
             "content": {"in_app": \(message), "localizations": \(localizations)},
             "delivery": {"in_app": {"triggers": [{"on": "session_start"}]\(more)}}}
            """
        }
    }

    /// Tests send as many requests as they can.
    private static let often = ["FANFARE_SERVER_EDGE_REQUESTS_PER_SECOND": "1000"]
    private static let session =
        #"{"id": "0199d9f2-6a51-7c5e-8a55-2f0a6d0b9a01", "started_at": "2026-11-20T21:05:00Z"}"#

    private static func start(
        _ server: PrivateServer,
        _ secret: String?,
        tag: String? = nil,
        body: String = session
    ) async throws -> PrivateServer.Reply {
        let headers = tag.map { ["If-None-Match: \($0)"] } ?? []
        return try await server.ask("POST", "/v1/sessions", token: secret, headers: headers, body: body, atEdge: true)
    }

    private static func campaigns(_ reply: PrivateServer.Reply) -> [String] {
        (reply.json?["messages"]?.array ?? []).compactMap { $0["campaign"]?.string }
    }

    /// Waits until a device gets exactly these, in this order.
    private static func expect(
        _ expected: [String],
        _ server: PrivateServer,
        _ secret: String,
        _ comment: String
    ) async throws {
        try await eventually("\(comment): \(expected)") {
            let reply = try await start(server, secret)
            return reply.status == 200 && campaigns(reply) == expected
        }
    }

    /// Accepts a campaign as intake does, and makes it live as a planner does.
    @discardableResult
    private static func live(_ wanted: Wanted, _ server: PrivateServer) async throws -> UInt32 {
        let decoding = JobDecoder.decode(
            Array(wanted.job.utf8),
            envelope: JobEnvelope(now: WallClock.now().asRead, tokens: ProviderRegistry.tokens)
        )
        let job = try #require(decoding.job, "\(decoding.problems)")
        let intake = Intake(ledger: server.ledger, apps: try AppDirectory([]), worker: 1)
        let origin = Intake.Origin(correlationID: job.id)
        let new = try await intake.newInApp(job, Array(job.id.utf8), [], origin, now: WallClock.now().asRead)
        let accepted = try await server.ledger.write(.synced) { try $0.accept(new, now: WallClock.now().asRead) }
        guard case .accepted(let number, _) = accepted else { throw LedgerError.failed("\(accepted)") }
        let leases = try await server.ledger.write {
            try $0.leaseCampaigns(worker: 1, apps: ["news"], now: WallClock.now().asRead)
        }
        let lease = try #require(leases.first { $0.facts.number == number }).token
        let lists = try await server.ledger.read { try $0.inAppLists(campaign: number) }
        let preparation = InAppPreparation(lease, app: "news", lists: lists, ledger: server.ledger)
        while try await preparation.step(upTo: .seconds(1)) == .goesOn {}
        _ = try await server.ledger.write(.synced) { try $0.beginInApp(lease, now: WallClock.now().asRead) }
        return number
    }

    private static func at(_ seconds: Int) -> String { WallClock.now().asRead.advanced(by: .seconds(seconds)).rfc3339 }

    @Test func `the highest priority comes first, of the same the newest, and only while they run`() async throws {
        try await EdgeFixture.with(settings: Self.often) { server in
            let secret = try await server.secret("ana")
            #expect(Self.campaigns(try await Self.start(server, secret)) == [])
            try await Self.live(Wanted(id: "old"), server)
            try await Self.live(Wanted(id: "high", more: #", "priority": 5"#), server)
            try await Self.live(Wanted(id: "new"), server)
            try await Self.live(Wanted(id: "later", more: #", "starts_at": "\#(Self.at(3600))""#), server)
            try await Self.live(Wanted(id: "ending", more: #", "ends_at": "\#(Self.at(3600))""#), server)
            try await Self.expect(["high", "ending", "new", "old"], server, secret, "all that run")
            let number = try #require(try await server.ledger.read { try $0.campaignNumber(app: "news", id: "high") })
            _ = try await server.ledger.write(.synced) { try $0.cancel(campaign: number, now: WallClock.now().asRead) }
            try await Self.expect(["ending", "new", "old"], server, secret, "a cancel takes it away")
            let status = try #require(
                try await server.ledger.read { try $0.status(app: "news", id: "old", now: WallClock.now().asRead) }
            )
            #expect(status.audience == 1 && status.counts.accepted == 1 && status.law == .holds)
            #expect(status.kind == "in_app" && status.state == "sending")
        }
    }

    @Test func `list, users, segment and those left out are judged when the session starts`() async throws {
        let key = "1 " + String(repeating: "ab", count: 32)
        try await EdgeFixture.with(
            more: ", device_tags: true, message_key_file: ids.key",
            files: ["ids.key": key],
            settings: Self.often
        ) {
            server in
            let ana = try await server.secret("ana", token: 1)
            let bo = try await server.secret("bo", token: 2)
            let devices = #"{"devices": [{"token": "\#(EdgeFixture.token(1))"}]}"#
            try await Self.live(Wanted(id: "named", audience: devices), server)
            try await Self.live(Wanted(id: "segment", audience: #"{"segment": "sport"}"#), server)
            try await Self.live(Wanted(id: "users", audience: #"{"users": ["bo@x"]}"#), server)
            let left = #"{"everyone": true, "exclude": {"devices": [{"token": "\#(EdgeFixture.token(2))"}]}}"#
            try await Self.live(Wanted(id: "but-bo", audience: left), server)
            try await Self.expect(["but-bo", "named"], server, ana, "ana by her token")
            try await Self.expect([], server, bo, "nothing for bo")
            _ = try await server.register("bo", key: bo, token: nil, #""user": "bo@x", "tags": {"add": ["sport"]}"#)
            try await Self.expect(["users", "segment"], server, bo, "bo has logged in and likes sport")
            // Its message id names campaign and device, and nobody else could have made it.
            let reply = try await Self.start(server, ana)
            let m = try #require(reply.json?["messages"]?.array?.last?["m"]?.string)
            let id = try #require(MessageID(Array(m.utf8), app: "news", keys: try MessageKeys(file: Array(key.utf8))))
            let named = try await server.ledger.read { try $0.campaignNumber(app: "news", id: "named") }
            let device = try #require(try await server.device("ana"))
            #expect(id.campaign == named && id.device == UInt32(truncatingIfNeeded: device.number))
        }
    }

    @Test func `what a device has displayed comes again only after its pause`() async throws {
        try await EdgeFixture.with(settings: Self.often) { server in
            let secret = try await server.secret("ana")
            let device = try #require(try await server.device("ana")).number
            let once = try await Self.live(Wanted(id: "once"), server)
            let again = try await Self.live(Wanted(id: "again", more: #", "repeat_after": 3600"#), server)
            try await Self.expect(["again", "once"], server, secret, "nothing was displayed")
            func display(_ campaign: UInt32, secondsAgo: Int) async throws {
                let event = TrackingEvent(
                    device: TrackedDevice(
                        app: "news",
                        campaign: campaign,
                        index: UInt32(truncatingIfNeeded: device),
                        registered: device
                    ),
                    type: .displayed,
                    surface: .inApp,
                    at: WallClock.now().asRead.advanced(by: .seconds(-secondsAgo))
                )
                _ = try await server.ledger.write {
                    try $0.track([.event(event)], Retention(), now: WallClock.now().asRead)
                }
            }
            try await display(once, secondsAgo: 7200)
            try await display(again, secondsAgo: 7200)
            try await Self.expect(["again"], server, secret, "once is shown, again may be")
            // Tracking has only the first display; here the last one counts.
            try await display(again, secondsAgo: 5)
            try await Self.expect([], server, secret, "its hour is not over")
        }
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `a session that has it all already is told so, in the device's language`(http: EdgeHTTP) async throws {
        try await EdgeFixture.with(http: http, settings: Self.often) { server in
            let secret = try await server.secret("ana")
            let message = #"""
                {"type": "modal", "header": "Hello", "image_url": "https://cdn.example.com/a.jpg",
                 "buttons": [{"id": "buy", "label": "Buy", "url": "app://buy"}],
                 "assets": ["https://cdn.example.com/b.css", "https://cdn.example.com/a.jpg"], "extras": {"a": [1]}}
                """#
            let spanish = #"{"es": {"title": "Hola"}}"#
            try await Self.live(
                Wanted(id: "hello", message: message, localizations: spanish, more: #", "delay": 1.5"#),
                server
            )
            try await Self.expect(["hello"], server, secret, "it is live")
            let reply = try await Self.start(server, secret)
            #expect(reply.status == 200 && reply.fields["content-type"] == "application/json")
            let found = try #require(reply.json?["messages"]?.array?.first)
            #expect(found["header"] == "Hello" && found["type"] == "modal" && found["m"] == nil)
            #expect(
                found["triggers"] == [["on": "session_start"]] && found["delay"] == .number(JSONNumber(text: "1.5"))
            )
            #expect(found["buttons"]?.array?.first?["label"] == "Buy" && found["extras"] == ["a": [1]])
            #expect(reply.json?["assets"] == ["https://cdn.example.com/a.jpg", "https://cdn.example.com/b.css"])
            let tag = try #require(reply.fields["etag"])
            let same = try await Self.start(server, secret, tag: "\"other\", \(tag)")
            #expect(same.status == 304 && same.text.isEmpty && same.fields["etag"] == tag)
            let localized = Self.session.replacingOccurrences(of: "}", with: #", "locale": "es-MX"}"#)
            let other = try await Self.start(server, secret, tag: tag, body: localized)
            #expect(other.status == 200 && other.json?["messages"]?.array?.first?["header"] == "Hola")
            #expect(other.fields["etag"] != tag)
        }
    }

    @Test(arguments: [
        (#"{}"#, "/id"), (#"{"id": "a", "started_at": "2026-11-20T21:05:00Z"}"#, "/id"),
        (#"{"id": "0199d9f2-6a51-7c5e-8a55-2f0a6d0b9a01", "started_at": "now"}"#, "/started_at"),
        (#"{"id": "0199d9f2-6a51-7c5e-8a55-2f0a6d0b9a01", "started_at": "2026-11-20T21:05:00Z", "x": 1}"#, "/x"),
    ])
    func `a session that cannot be read is refused at its place`(_ body: String, _ pointer: String) async throws {
        try await EdgeFixture.with(settings: Self.often) { server in
            let secret = try await server.secret("ana")
            let reply = try await Self.start(server, secret, body: body)
            #expect(reply.status == 422 && reply.pointer == pointer, "\(reply.text)")
        }
    }

    @Test func `without the device's own secret nobody learns anything`() async throws {
        try await EdgeFixture.with(settings: Self.often) { server in
            try await Self.live(Wanted(id: "hello"), server)
            #expect(try await Self.start(server, nil).status == 401)
            #expect(try await Self.start(server, EdgeFixture.key("news")).status == 403)
            // Another app's devices have their own.
            let shop = try await server.secret("ana", app: "shop")
            #expect(Self.campaigns(try await Self.start(server, shop)) == [])
        }
    }
}
