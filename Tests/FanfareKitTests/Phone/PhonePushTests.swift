import Foundation
import Testing

@testable import FanfareKit

/// A phone's handling of pushes.
@Suite struct PhonePushTests {
    private let png = Data([0x89, 0x50, 0x4E, 0x47, 1, 2, 3])

    /// Returns the events that the server received, as `type surface [button or reason]`.
    private func events(_ rig: PhoneRig) async -> [String] {
        await rig.phone.settled()
        return await rig.peer.events.map { event in
            [event["type"], event["surface"], event["action"] ?? event["reason"]].compactMap { $0?.string }
                .joined(separator: " ")
        }
    }

    private func silent(
        _ content: String = "c-81",
        _ type: String = "coupon",
        _ more: [String: Any] = [:]
    ) throws
        -> PushMessage
    {
        var own: [String: Any] = ["c": "derby", "m": "m1", "r": content, "t": type]
        own.merge(more) { $1 }
        return try push(own, aps: ["content-available": 1, "category": "MORE"], ["body": "A coupon", "n": 7])
    }

    @Test func `a silent push brings its content, and a notification with message, category and user info`()
        async throws
    {
        let rig = try PhoneRig()
        try await rig.register()
        await rig.peer.serve("c-81", type: "image/png; q=1", png)
        #expect(await rig.phone.received(try silent()) == .newData)
        #expect(rig.listener.heard() == ["content fetching", "content ready image/png"])
        let shown = try #require(rig.listener.notifications.first)
        #expect(shown.body == "A coupon" && shown.title == nil && shown.category == "MORE" && shown.id == "derby")
        // A tap on it is a tap on the push.
        #expect(PushMessage(members: shown.userInfo) == (try silent()))
        // The phone has shown it itself, in front and in the background; the system's question no longer counts.
        #expect(await rig.phone.displayed(try silent()) == .all)
        #expect(await events(rig) == ["received system", "displayed system"])
    }

    @Test func `a silent announcement is told of by its title`() async throws {
        let rig = try PhoneRig()
        try await rig.register()
        await rig.peer.serve(
            "a",
            type: "application/json",
            Data(#"{"title": "Tickets", "body": "Two left"}"#.utf8),
            isCampaigns: true
        )
        let push = try push(
            ["c": "a", "m": "m1", "k": "announcement", "r": "a", "t": "announcement"],
            aps: ["content-available": 1]
        )
        #expect(await rig.phone.received(push) == .newData)
        #expect(
            rig.listener.notifications.map(\.title) == ["Tickets"]
                && rig.listener.notifications.map(\.body) == ["Two left"]
        )
    }

    @Test func `content that is not there fails, and a push without any is no data`() async throws {
        let rig = try PhoneRig()
        try await rig.register()
        #expect(await rig.phone.received(try silent("gone")) == .failed)
        #expect(
            rig.listener.heard() == ["content fetching", "content failed gone"] && rig.listener.notifications.isEmpty
        )
        #expect(await rig.phone.received(try push(["c": "d"], aps: ["content-available": 1])) == .noData)
        #expect(await rig.phone.received(try push(["c": "d"], aps: ["alert": "x"])) == .noData)
        #expect(await rig.phone.received(try push(["c": "d", "r": "gone"], aps: ["alert": "x"])) == .failed)
    }

    @Test func `content is kept, asked for with its tag, and there when the server is away`() async throws {
        let rig = try PhoneRig()
        try await rig.register()
        await rig.peer.serve("c-81", type: "image/png", png)
        let push = try silent()
        _ = await rig.phone.fetch(push)
        _ = await rig.peer.taken("", "")
        guard case .success(let again) = await rig.phone.fetch(push) else { throw NotThere() }
        #expect(again.data == png)
        let asked = await rig.peer.taken("GET", "/v1/messages/c-81")
        #expect(
            asked.map { $0.headers["if-none-match"] } == ["\"1\""]
                && asked.first?.bearer.hasPrefix("device-secret-") == true
        )
        // A campaign's own content is for holders of this id.
        #expect(asked.first?.headers["fanfare-message"] == push.messageID && push.messageID != nil)
        await rig.peer.be(.away)
        guard case .success = await rig.phone.fetch(push) else { throw NotThere() }
    }

    private struct NotThere: Error {}

    @Test func `content goes to the handler of its type, and only what that takes`() async throws {
        let rig = try PhoneRig()
        try await rig.register()
        await rig.peer.serve("c-81", type: "image/png", png)
        await rig.peer.serve("text", type: "text/plain", Data("hello".utf8))
        await rig.peer.serve("fake", type: "image/png", Data("hello".utf8))
        let listener = rig.listener
        let handler = RichContentHandler(types: ["image/png"], bytesMax: 10) { content, push in
            listener.log("\(push.campaign) brings \(content.data.count) bytes")
        }
        await rig.phone.setHandler(handler, for: "coupon")
        await rig.phone.responded(.opened, to: try silent())
        #expect(listener.logs == ["derby brings 7 bytes"])
        // A silent push is fetched for the notification; the handler is for opened ones.
        _ = await rig.phone.received(try silent())
        #expect(listener.logs.count == 1)
        _ = listener.heard()
        await rig.phone.responded(.opened, to: try silent("text"))
        #expect(listener.heard().last == #"content failed wrongType("text/plain")"#)
        await rig.phone.responded(.opened, to: try silent("fake"))
        #expect(listener.heard().last == "content failed damaged")
        var small = handler
        small.bytesMax = 3
        await rig.phone.setHandler(small, for: "coupon")
        await rig.phone.responded(.opened, to: try silent())
        #expect(listener.heard().last == "content failed tooLarge" && listener.logs.count == 1)
    }

    @Test func `taps, buttons and swipes are told, and links opened where the app is opened`() async throws {
        let rig = try PhoneRig()
        try await rig.register()
        let own: [String: Any] = ["c": "derby", "m": "m1", "u": "app://match", "a": ["ACCEPT": "app://yes"]]
        let push = try push(own, aps: ["alert": "Derby", "category": "ACCEPT_DECLINE"])
        await rig.phone.responded(.opened, to: push)
        await rig.phone.responded(.action("ACCEPT"), to: push)
        await rig.phone.responded(.action("DECLINE"), to: push)
        await rig.phone.responded(.dismissed, to: push)
        #expect(rig.listener.heard().filter { $0.hasPrefix("open") } == ["open app://match", "open app://yes"])
        #expect(
            await events(rig) == [
                "opened system", "actioned system ACCEPT", "actioned system DECLINE", "exited system",
            ]
        )
    }

    @Test func `data pushes go to the handler of their category: taken, declined, nobody, an error`() async throws {
        let rig = try PhoneRig()
        try await rig.register()
        func data(_ category: String, _ body: String = "AAEC") throws -> PushMessage {
            try push(
                ["c": "d", "m": "m1", "k": "data_push", "d": body, "e": "base64", "g": category],
                aps: ["content-available": 1]
            )
        }
        struct Broken: Error {}
        let listener = rig.listener
        await rig.phone.setHandler(
            { push in
                listener.log("\(push.text) \(Array(push.bytes)) \(push.category ?? "")")
                return true
            },
            for: "taken"
        )
        await rig.phone.setHandler({ _ in false }, for: "declined")
        await rig.phone.setHandler({ _ in throw Broken() }, for: "broken")
        #expect(await rig.phone.received(try data("taken")) == .newData)
        #expect(listener.logs == ["AAEC [0, 1, 2] taken"])
        #expect(await rig.phone.received(try data("declined")) == .noData)
        #expect(await rig.phone.received(try data("broken")) == .failed)
        #expect(await rig.phone.received(try data("nobody")) == .noData)
        #expect(await rig.phone.received(try data("taken", "not base64!")) == .failed)
        let told = await events(rig).filter { $0 != "received system" }
        #expect(
            told == [
                "actioned content action", "exited content", "dropped content HandlerFailed",
                "dropped content NoHandler",
                "dropped content Unreadable",
            ]
        )
    }

    @Test func `the count goes when the app comes to the front or a push arrives there, on the server too`()
        async throws
    {
        for rule: BadgeRule in [[], .clearOnForeground, .clearOnPushInFront] {
            let rig = try PhoneRig { $0.badge = rule }
            try await rig.register()
            let push = try push(["c": "derby", "m": "m1"], aps: ["alert": "x", "badge": 3])
            await rig.phone.becameActive()
            await rig.phone.settled()
            let cleared = await rig.peer.taken("PUT", "/v1/devices/")
            #expect(cleared.count == (rule == .clearOnForeground ? 1 : 0))
            #expect(rig.listener.heard().contains("badge 0") == (rule == .clearOnForeground))
            let shown = await rig.phone.displayed(push)
            await rig.phone.settled()
            #expect(shown.contains(.badge) == (rule != .clearOnPushInFront) && shown.contains(.banner))
            #expect(rig.listener.heard().contains("badge 0") == (rule == .clearOnPushInFront))
            let bodies = await rig.peer.taken("PUT", "/v1/devices/").compactMap(\.body).map {
                String(decoding: $0, as: UTF8.self)
            }
            #expect(
                bodies.allSatisfy { $0.contains(#""badge":0"#) }
                    && bodies.count == (rule == .clearOnPushInFront ? 1 : 0)
            )
        }
    }

    @Test func `what an extension noted is taken over once`() async throws {
        let rig = try PhoneRig()
        try await rig.register()
        let event = TrackedEvent(id: UUID(), messageID: signed("m1"), type: .received, surface: .system, at: rig.now)
        try EventInbox(rig.folder).leave(event)
        try Data("{".utf8).write(to: rig.folder.appendingPathComponent("inbox/torn.json"))
        await rig.phone.becameActive()
        #expect(await events(rig) == ["received system"])
        #expect(EventInbox(rig.folder).read().isEmpty)
        await rig.phone.becameActive()
        #expect(await events(rig).count == 1)
    }
}
