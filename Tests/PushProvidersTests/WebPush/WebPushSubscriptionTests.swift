import Testing

@testable import PushProviders

@Suite struct WebPushSubscriptionTests {
    // RFC 8291, section 5.
    private static let publicKey =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"
    private static let endpoint = "https://updates.push.services.mozilla.com/wpush/v2/gAAAA_b-c~d%20?x=1&y=2"
    private static let kept = "\(endpoint)#\(publicKey).\(secret)"

    private static func json(
        endpoint: String = endpoint,
        publicKey: String = publicKey,
        secret: String = secret
    ) -> String {
        #"{"endpoint":"\#(endpoint)","expirationTime":null,"keys":{"p256dh":"\#(publicKey)","auth":"\#(secret)"}}"#
    }

    private static func read(_ text: String) -> WebPushSubscription? {
        var text = text
        return text.withUTF8 { WebPushSubscription($0) }
    }

    @Test func `what a browser gives is kept in one form, which reads as the same`() throws {
        let subscription = try #require(Self.read(Self.json()))
        #expect(subscription.text == Self.kept)
        #expect(subscription.origin == "https://updates.push.services.mozilla.com")
        #expect(Self.read(subscription.text) == subscription)
        // Both alphabets of base64, with padding and without; members in another order, and additional ones.
        let padded = "BCVxsr7N/eNgVRqvHtD0zTZsEc6+VV+JvLexhqUzORcxaOzi6+AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4="
        let other = #"""
            {"keys": {"auth": "BTBZMqHH6r4Tts7J/aSIgg==", "p256dh": "\#(padded)"}, "more": {"a": [1]},
             "endpoint": "\#(Self.endpoint)"}
            """#
        #expect(Self.read(other) == subscription)
    }

    @Test(arguments: [
        ("https://PUSH.Example.NET/A/b", "https://push.example.net", "/A/b"),
        ("HTTPS://push.example.net:443/x", "https://push.example.net", "/x"),
        ("https://push.example.net:8443/x", "https://push.example.net:8443", "/x"),
        ("https://[2001:DB8::1]:444/", "https://[2001:db8::1]:444", "/"),
        ("https://127.0.0.1:9443/push/1", "https://127.0.0.1:9443", "/push/1"),
    ])
    func `scheme and host are in lower case and the usual port is left out`(
        endpoint: String,
        origin: String,
        path: String
    ) throws {
        let subscription = try #require(Self.read(Self.json(endpoint: endpoint)))
        #expect(subscription.origin == origin)
        #expect(subscription.endpoint == origin + path)
        #expect(ProviderEndpoint(url: subscription.origin)?.url == origin)
    }

    @Test(arguments: [
        "http://push.example.net/x", "https://push.example.net", "https:///x", "https://user@push.example.net/x",
        "https://user:secret@push.example.net/x", "https://push.example.net/x#y", "https://push.example.net/a b",
        "https://push.example.net/\u{e9}", "https://push.example.net:0/x", "https://push.example.net:99999/x",
        "https://push.example.net?x", "push.example.net/x", "https://push.example.net\\\\@localhost/x",
        "https://push.example.net/\\r\\nx: y", "ftp://push.example.net/x", "", "https://[::1/x",
        "https://" + String(repeating: "a", count: 250) + "/x",
        "https://push.example.net/" + String(repeating: "a", count: 1024),
    ])
    func `what is no endpoint of https is refused`(endpoint: String) {
        #expect(Self.read(Self.json(endpoint: endpoint)) == nil)
    }

    @Test func `what has no keys, or others, is refused`() {
        let short = String(Self.publicKey.dropLast())
        let compressed = "A" + Self.publicKey.dropFirst()
        for text in [
            Self.json(publicKey: short), Self.json(publicKey: Self.secret), Self.json(publicKey: compressed),
            Self.json(secret: Self.publicKey), Self.json(secret: ""), Self.json(secret: "BTBZMqHH6r4Tts7J_aSIg!"),
            #"{"endpoint":"https://push.example.net/x"}"#, #"{"endpoint":1,"keys":{"p256dh":"x","auth":"y"}}"#, "{}",
            "[]",
            "{", "", "null", Self.endpoint, "\(Self.endpoint)#", "\(Self.endpoint)#\(Self.publicKey)",
            "\(Self.endpoint)#\(Self.publicKey).\(Self.secret).x", Self.kept + " ", String(repeating: "ab", count: 32),
            Self.json() + Self.json(),
        ] {
            #expect(Self.read(text) == nil, "\(text)")
        }
    }

    @Test func `the parts of a kept token are found in its bytes`() throws {
        let bytes = Array(Self.kept.utf8)
        try bytes.withUnsafeBytes { token in
            let ranges = try #require(WebPushSubscription.Ranges(token))
            #expect(String(decoding: token[ranges.path], as: UTF8.self) == "/wpush/v2/gAAAA_b-c~d%20?x=1&y=2")
            #expect(String(decoding: token[ranges.publicKey], as: UTF8.self) == Self.publicKey)
            #expect(String(decoding: token[ranges.authentication], as: UTF8.self) == Self.secret)
        }
        for count in [0, 8, 109, 118] {
            [UInt8](repeating: UInt8(ascii: "a"), count: count).withUnsafeBytes { token in
                #expect(WebPushSubscription.Ranges(token) == nil)
            }
        }
    }

    @Test func `a topic is the collapse id where that is one, and otherwise always the same for it`() {
        let longest = String(repeating: "aZ0_-", count: 6) + "xy"
        for id in ["a", "score-7_B", longest] { #expect(WebPushTopic.text(collapseID: id) == id) }
        var topics: Set<String> = []
        for id in ["", longest + "z", "two words", "caf\u{e9}", "a.b", "a=b"] {
            let topic = WebPushTopic.text(collapseID: id)
            #expect(topic == WebPushTopic.text(collapseID: id))
            #expect(topic.utf8.count == 11 && topic.utf8.allSatisfy { Base64URL.digit($0) != nil })
            topics.insert(topic)
        }
        #expect(topics.count == 6)
    }
}
