import Foundation
import Seeds
import Testing

@testable import FanfareKit

/// A push as the phone receives it.
@Suite struct PushMessageTests {
    private func userInfo(_ text: String) throws -> [AnyHashable: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(object as? [String: Any])
    }

    @Test func `Apple's user info is read whole`() throws {
        let push = try #require(
            PushMessage(
                try userInfo(
                    """
                    {"aps": {"alert": {"title": "Derby", "body": "Goal"}, "category": "LIKE", "sound": "default"},
                     "match": 7, "live": true, "teams": ["a", "b"], "score": {"home": 1.5}, "none": null,
                     "fanfare": {"v": 1, "c": "derby", "m": "AAAAAQAAAAIAAAAAAAAAAA", "k": "announcement",
                                 "u": "app://match/7", "r": "c-81", "t": "coupon", "i": "https://cdn.example.com/a.jpg",
                                 "a": {"LIKE_ID": "app://like/7"}, "later": 1}}
                    """
                )
            )
        )
        #expect(push.campaign == "derby" && push.messageID == "AAAAAQAAAAIAAAAAAAAAAA" && push.kind == .announcement)
        #expect(push.link == "app://match/7" && push.content == RichContentName(id: "c-81", type: "coupon"))
        #expect(
            push.media == URL(string: "https://cdn.example.com/a.jpg")
                && push.actionLinks == ["LIKE_ID": "app://like/7"]
        )
        #expect(push.category == "LIKE" && push.title == "Derby" && push.body == "Goal" && !push.isSilent)
        #expect(
            push.variables == [
                "match": .number(7), "live": .bool(true), "teams": .array([.string("a"), .string("b")]),
                "score": .object(["home": .number(1.5)]), "none": .null,
            ]
        )
    }

    @Test func `Google's data is read, where the object is a text`() throws {
        let data: [AnyHashable: Any] = ["fanfare": #"{"v":1,"c":"derby","m":"x","k":"poll"}"#, "match": "7"]
        let push = try #require(PushMessage(data))
        #expect(push.campaign == "derby" && push.kind == .poll && push.variables == ["match": .string("7")])
        #expect(!push.isSilent)
    }

    @Test func `somebody else's push is none of ours`() throws {
        for text in [
            "{}", #"{"aps": {"alert": "x"}}"#, #"{"fanfare": 1}"#, #"{"fanfare": {"v": 1}}"#, #"{"fanfare": "{"}"#,
        ] {
            #expect(!PushMessage.isOurs(try userInfo(text)), "\(text)")
        }
    }

    @Test func `a data push brings its text, and its bytes decoded`() throws {
        func data(_ members: String) throws -> DataPush? {
            PushMessage(try userInfo(#"{"fanfare": {"c": "d", "k": "data_push", \#(members)}}"#))?.dataPush
        }
        let text = try #require(try data(#""d": "é", "g": "prices""#))
        #expect(text.text == "é" && text.bytes == Data("é".utf8) && text.category == "prices")
        let bytes = try #require(try data(#""d": "AAEC", "e": "base64""#))
        #expect(bytes.text == "AAEC" && bytes.bytes == Data([0, 1, 2]) && bytes.category == nil)
        #expect(try data(#""d": "not base64!", "e": "base64""#) == nil)
        #expect(try data(#""x": 1"#) == nil)
    }

    @Test(arguments: [
        (#"{"content-available": 1}"#, true), (#"{"content-available": true}"#, true),
        (#"{"content-available": 1, "alert": "x"}"#, false), (#"{"content-available": 1, "sound": "x"}"#, false),
        // The hub's seed payload: an empty sound is no sound.
        (#"{"content-available": 1, "sound": ""}"#, true), (#"{"content-available": 1, "sound": {}}"#, false),
        (#"{"content-available": 1, "badge": 0}"#, false), (#"{"content-available": 0}"#, false), ("{}", false),
    ])
    func `silent is what wakes the app and shows nothing`(aps: String, isSilent: Bool) throws {
        let push = try #require(PushMessage(try userInfo(#"{"aps": \#(aps), "fanfare": {"c": "d"}}"#)))
        #expect(push.isSilent == isSilent)
    }

    @Test(arguments: 0..<500) func `whatever comes, nothing traps`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let names = ["aps", "fanfare", "c", "m", "k", "u", "r", "t", "i", "a", "d", "e", "g", "alert", "category", "x"]
        func value(_ depth: Int) -> Any {
            switch random.below(depth > 40 ? 6 : 9) {
            case 0: return random.below(2) == 0
            case 1: return random.below(1000) - 500
            case 2: return Double.nan
            case 3: return NSNull()
            case 4: return ["derby", "data_push", "base64", "\u{0}", "https://", "{\"c\":\"d\"}", ""][random.below(7)]
            case 5: return Data([0xFF, 0xFE])
            case 6: return (0..<random.below(4)).map { _ in value(depth + 1) }
            default: return object(depth + 1)
            }
        }
        func object(_ depth: Int) -> [AnyHashable: Any] {
            var members: [AnyHashable: Any] = [:]
            for _ in 0..<random.below(6) { members[names[random.below(names.count)]] = value(depth) }
            if random.chance(0.1) { members[random.below(5)] = value(depth) }
            return members
        }
        for _ in 0..<20 {
            var info = object(0)
            info["fanfare"] = random.chance(0.8) ? object(1) : value(1)
            let push = PushMessage(info)
            if let push { #expect(!push.campaign.isEmpty) }
        }
    }
}
