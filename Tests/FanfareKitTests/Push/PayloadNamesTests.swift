import Foundation
import Testing

@testable import FanfareKit

/// Pushes of apps whose settings on the server have `payload_names`.
@Suite struct PayloadNamesTests {
    private let names = [
        "message_id": "_mId", "delivery_id": "_dId", "media": "mediaUrl", "rich_id": "richId", "rich_type": "richType",
        "rich_message": "richMessage", "url": "url",
    ]
    private let info: [AnyHashable: Any] = [
        "aps": ["content-available": 1, "sound": ""], "_dId": "derby", "_mId": "AAAAAQAAAAIAAAAAAAAAAA",
        "mediaUrl": "https://cdn.example.com/a.jpg", "richId": "c-81", "richType": "coupon",
        "richMessage": "Ten percent",
        "url": "app://match", "match": 7,
    ]

    @Test func `a push without the object of ours is known by the app's own names, and only by them`() throws {
        let isKnown = [PushMessage.isOurs(info), PushMessage.isOurs(info, names: names)]
        #expect(isKnown == [false, true])
        let push = try #require(PushMessage(info, names: names))
        #expect(push.campaign == "derby" && push.messageID == "AAAAAQAAAAIAAAAAAAAAAA" && push.link == "app://match")
        #expect(push.content == RichContentName(id: "c-81", type: "coupon") && push.isSilent)
        #expect(push.media?.lastPathComponent == "a.jpg" && push.variables == ["match": .number(7)])
        #expect(LocalNotification(push, nil)?.body == "Ten percent")
        // A stranger's push that happens to have one of the names has no signed id.
        #expect(PushMessage(["_dId": "order", "aps": ["alert": "x"]], names: names) == nil)
    }

    @Test func `names that numbers stand under leave what the object of ours says`() throws {
        var info = info
        info["_mId"] = 4_294_967_298
        info["_dId"] = 17
        info["fanfare"] = ["c": "derby", "m": "AAAAAQAAAAIAAAAAAAAAAA"]
        let push = try #require(PushMessage(info, names: names))
        #expect(push.campaign == "derby" && push.messageID == "AAAAAQAAAAIAAAAAAAAAAA")
    }

    @Test func `what a silent push says of its content is the notification's text`() throws {
        let info: [AnyHashable: Any] = [
            "aps": ["content-available": 1], "fanfare": ["c": "derby", "r": "c-81", "t": "coupon", "x": "Ten percent"],
        ]
        let push = try #require(PushMessage(info))
        #expect(push.isSilent && LocalNotification(push, nil)?.body == "Ten percent")
    }

    @Test func `a session's answer tells the names, which outlive the app and win over the options'`() async throws {
        let rig = try PhoneRig { $0.payloadNames = ["media": "old", "url": "link"] }
        try await rig.register()
        #expect(await rig.phone.names.names[.media] == "old")
        await rig.peer.offer([], tag: "\"names\"", besides: ["payload_names": .object(["media": .string("mediaUrl")])])
        await rig.phone.becameActive()
        await rig.phone.settled()
        try await rig.kill()
        #expect(await rig.phone.names.names.names == ["media": "mediaUrl", "url": "link"])
        // An extension of the app finds them too.
        #expect(KnownNames.Kept.read(rig.folder).names[.media] == "mediaUrl")
    }

    @Test func `a service extension fetches media under the app's own name, told by the app or by itself`() async throws
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("names-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        var part = PushExtension(folder: folder)
        part.seconds = 1
        let push: [AnyHashable: Any] = [
            "aps": ["alert": "x"], "mediaUrl": "https://127.0.0.1:9/a.jpg",
            "fanfare": ["c": "derby", "m": "AAAAAQAAAAIAAAAAAAAAAA"],
        ]
        #expect(await part.received(push) == nil)
        part.payloadNames = ["media": "mediaUrl"]
        #expect(await part.received(push) != nil)
        part.payloadNames = [:]
        let known = KnownNames(folder, given: ["media": "mediaUrl"])
        try Storage(folder).write(known.all, KnownNames.file)
        #expect(await part.received(push) != nil)
    }
}
