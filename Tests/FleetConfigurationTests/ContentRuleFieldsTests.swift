import Campaigns
import TLS
import Testing

@testable import Settings

/// `categories`, `variables` and `payload_names` of `apps.yaml`.
struct ContentRuleFieldsTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
        try folder.write("key.p8", try ES256.generateKey().privateKeyPEM)
    }

    private func read(_ fields: String) throws -> AppContentRules {
        let block = "topic: com.example.news, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8"
        let yaml = "apps:\n  news:\n    apns: {\(block)}\n\(fields)"
        return try #require(try AppsFile.read(path: folder.write("apps.yaml", yaml)).first).rules
    }

    @Test func `the contract's example is read`() throws {
        let rules = try read(
            """
                categories: {LIKE_CATEGORY: [{id: LIKE_IDENTIFIER, foreground: true}, {id: UNLIKE_IDENTIFIER}]}
                layouts: [COUPON, BANNER]
                variables: {match: {required: true}, url: {default: "app://home"}, plain: }
                payload_names: {media: mediaUrl, message_id: _mId, delivery_id: _dId, rich_id: richId,
                  rich_message: richMessage, rich_type: richType, message: _msg}

            """
        )
        #expect(
            rules.categories == [
                ActionCategory(
                    name: "LIKE_CATEGORY",
                    actions: [.init(id: "LIKE_IDENTIFIER", isForeground: true), .init(id: "UNLIKE_IDENTIFIER")]
                )
            ]
        )
        #expect(rules.layouts == ["COUPON", "BANNER"])
        #expect(
            rules.variables == [
                AppVariable(name: "match", isRequired: true), AppVariable(name: "url", standard: "app://home"),
                AppVariable(name: "plain"),
            ]
        )
        #expect(rules.payloadNames[.media] == "mediaUrl" && rules.payloadNames[.messageID] == "_mId")
        #expect(rules.payloadNames.names.count == 7)
        #expect(try read("") == AppContentRules())
    }

    @Test(arguments: [
        ("categories: {A: []}", "apps.news.categories.A", "wrong_type"),
        ("categories: {A: {id: b}}", "apps.news.categories.A", "wrong_type"),
        ("categories: {A: [{foreground: true}]}", "apps.news.categories.A.id", "missing"),
        ("categories: {A: [{id: b, forground: true}]}", "apps.news.categories.A.forground", "unknown_key"),
        ("categories: {A: [{id: b, foreground: 1}]}", "apps.news.categories.A.foreground", "invalid_value"),
        ("categories: {A: [{id: b}, {id: b}]}", "apps.news.categories.A", "invalid_value"),
        ("layouts: COUPON", "apps.news.layouts", "wrong_type"),
        ("layouts: [[COUPON]]", "apps.news.layouts", "wrong_type"),
        ("layouts: [COUPON, COUPON]", "apps.news.layouts", "invalid_value"),
        ("variables: {aps: }", "apps.news.variables.aps", "invalid_name"),
        ("variables: {a: {requird: true}}", "apps.news.variables.a.requird", "unknown_key"),
        ("variables: {a: {default: \"{{ x }}\"}}", "apps.news.variables.a.default", "invalid_value"),
        ("payload_names: {medium: x}", "apps.news.payload_names.medium", "unknown_key"),
        ("payload_names: {media: aps}", "apps.news.payload_names.media", "invalid_value"),
        ("payload_names: {media: \"a,b\"}", "apps.news.payload_names.media", "invalid_value"),
        ("payload_names: {media: x, url: x}", "apps.news.payload_names.media", "invalid_value"),
    ])
    func `what cannot be meant is refused with its place`(_ text: String, _ key: String, _ code: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try read("    \(text)\n") }
        #expect(error.problems.map { "\($0.key) \($0.code)" } == ["\(key) \(code)"])
        #expect(error.problems.allSatisfy { $0.location.hasSuffix("apps.yaml:4") })
    }
}
