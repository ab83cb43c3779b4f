import Foundation
import Testing

@testable import FanfareKit

/// The data that leaves a phone for the report.
@Suite struct PhoneTrackingTests {
    private func shown(_ campaign: String, _ more: [String: Any] = [:]) throws -> PushMessage {
        let own: [String: Any] = ["c": campaign, "m": "m-" + campaign]
        return try push(own.merging(more) { $1 }, aps: ["alert": "x"])
    }

    @Test(.enabled(if: EdgeRules.areThere))
    func `an event that the edge refuses is logged once with its reason, counted over a kill, and holds none up`()
        async throws
    {
        let rig = try PhoneRig()
        try await rig.register()
        await rig.phone.note(.opened, .system, of: .notification, messageID: "too-short")
        await rig.phone.note(.opened, .system, of: .notification, messageID: signed("m1"))
        try await rig.pass(3600)
        let logged = rig.listener.logs.filter { $0.contains("does not take") }
        #expect(
            logged == [
                "the server does not take the event opened (system): m is not a message id of 22 characters; send fanfare.m of the push as it came"
            ]
        )
        #expect(await rig.peer.events.count == 1)
        try await rig.kill()
        #expect(await rig.phone.lostEvents == 1 && rig.listener.logs.count { $0.contains("does not take") } == 1)
    }

    @Test(arguments: PushMessage.Kind.allCases)
    func
        `the edge takes all that the kit sends of a kind, with a button, a reason or neither; the rest is told as lost`(
            kind: PushMessage.Kind
        ) async throws
    {
        let rig = try PhoneRig()
        try await rig.register()
        var (said, unsaid) = (0, 0)
        for surface in TrackedEvent.Surface.allCases {
            for type in TrackedEvent.Kind.allCases {
                let isSaid = EventTable.row(kind.listed, surface, type).isSaidByKit
                for word in [nil, "LIKE"] {
                    await rig.phone.note(type, surface, of: kind, messageID: signed("m1"), action: word, reason: word)
                    if isSaid { said += 1 } else { unsaid += 1 }
                }
            }
        }
        await rig.phone.settled()
        #expect(await rig.peer.refusals == [] && said > 0)
        #expect(await rig.peer.events.count == said)
        #expect(await rig.phone.lostEvents == unsaid)
        #expect(rig.listener.logs.count { $0.contains("have no event") } == unsaid)
    }

    @Test func `buttons and reasons of any text are made such that the edge takes them`() async throws {
        let rig = try PhoneRig()
        try await rig.register()
        for action in ["", "\u{0}\n", String(repeating: "\u{E4}", count: 100), "\u{1F600}"] {
            await rig.phone.responded(.action(action), to: try shown("d"))
        }
        await rig.phone.settled()
        #expect(await rig.peer.refusals == [])
        let actions = await rig.peer.events.map { $0["action"]?.string }
        #expect(actions == ["-", "-", String(repeating: "\u{E4}", count: 32), "\u{1F600}"])
    }

    @Test func `events go to the tracking server when there is one, and nothing else does`() async throws {
        let (peer, tracking) = (Peer(), Peer())
        let rig = try PhoneRig(peer, tracking: tracking)
        try await rig.register()
        await tracking.learn(await peer.devices)
        await rig.phone.responded(.opened, to: try shown("d"))
        await rig.phone.becameActive()
        await rig.phone.settled()
        #expect(await tracking.requests.map(\.path) == ["/v1/tracking"])
        #expect(await peer.requests.map(\.path) == ["/v1/sessions"])
    }

    @Test func `content that a visible push names is fetched when it arrives, and there when it is opened off line`()
        async throws
    {
        let rig = try PhoneRig()
        try await rig.register()
        let png = Data([0x89, 0x50, 0x4E, 0x47, 1, 2, 3])
        await rig.peer.serve("c-81", type: "image/png", png)
        await rig.peer.serve("c-82", type: "image/png", png)
        let push = try shown("d", ["r": "c-81", "t": "coupon"])
        #expect(await rig.phone.received(push) == .newData)
        // A push for which the system did not wake the app is fetched when it is shown.
        _ = await rig.phone.displayed(try shown("e", ["r": "c-82"]))
        await rig.phone.settled()
        #expect(await rig.phone.contents.tag("c-82") != nil)
        await rig.peer.be(.away)
        let listener = rig.listener
        await rig.phone.setHandler(
            RichContentHandler { content, _ in listener.log("\(content.data.count) bytes") },
            for: "coupon"
        )
        await rig.phone.responded(.opened, to: push)
        #expect(listener.logs.contains("7 bytes") && listener.notifications.isEmpty)
    }

    @Test func `a count of 0 is told to who clears the notifications too`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("badge-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await Self.counts(folder) == ["badge 3", "badge 0", "clear"])
    }

    @MainActor private static func counts(_ folder: URL) async throws -> [String] {
        var options = FanfareOptions()
        options.folder = folder
        let fanfare = try Fanfare.start(integrationKey: "", server: "", options: options)
        let (told, says) = AsyncStream.makeStream(of: String.self)
        var words = told.makeAsyncIterator()
        fanfare.presenters.badge = { says.yield("badge \($0)") }
        fanfare.presenters.clearNotifications = { says.yield("clear") }
        fanfare.setBadge(3)
        var heard = [await words.next()]
        fanfare.setBadge(0)
        heard.append(await words.next())
        // Both are reported in one request.
        says.finish()
        while let word = await words.next() { heard.append(word) }
        fanfare.stop()
        return heard.compactMap(\.self)
    }
}
