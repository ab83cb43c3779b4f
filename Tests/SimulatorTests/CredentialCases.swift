import Testing

@testable import Simulator

extension APNsRulesTests {
    static let credentialCases = [
        RuleCase("no authorization", .missingProviderToken) { $0.authorization = "" },
        RuleCase("another scheme", .invalidProviderToken) {
            $0.authorization = "basic \(Sample.news.token(issuedAt: Sample.now))"
        },
        RuleCase("the scheme in upper case", nil) {
            $0.authorization = "BEARER \(Sample.news.token(issuedAt: Sample.now))"
        },
        RuleCase("no JWT", .invalidProviderToken) { $0.authorization = "bearer abc" },
        RuleCase("an hour and a second old", .expiredProviderToken) { $0.issuedAt = Sample.now - 3601 },
        RuleCase("an hour old", nil) { $0.issuedAt = Sample.now - 3600 },
        RuleCase("of 1970", .expiredProviderToken) { $0.issuedAt = 0 },
        RuleCase("of the future", .invalidProviderToken) { $0.issuedAt = Sample.now + 61 },
        RuleCase("of a clock a little ahead", nil) { $0.issuedAt = Sample.now + 59 },
        RuleCase("iat as text", .invalidProviderToken) {
            $0.authorization = token(claims: #"{"iss":"TEAM000001","iat":"1790000000"}"#)
        },
        RuleCase("iat with a fraction", .invalidProviderToken) {
            $0.authorization = token(claims: #"{"iss":"TEAM000001","iat":1790000000.5}"#)
        },
        RuleCase("no iss", .invalidProviderToken) { $0.authorization = token(claims: #"{"iat":1790000000}"#) },
        RuleCase("another team", .invalidProviderToken) {
            $0.authorization = token(claims: #"{"iss":"TEAM000002","iat":1790000000}"#)
        },
        RuleCase("another algorithm", .invalidProviderToken) {
            $0.authorization = token(header: #"{"alg":"RS256","kid":"NEWSKEY001"}"#)
        },
        RuleCase("an unknown key", .invalidProviderToken) {
            $0.authorization = token(header: #"{"alg":"ES256","kid":"NEWSKEY009"}"#)
        },
        RuleCase("signed with another key", .invalidProviderToken) {
            $0.authorization = token(header: #"{"alg":"ES256","kid":"SPORTKEY01"}"#)
        },
        RuleCase("a key of the other environment", .badEnvironmentKey) {
            $0.access.keys = [Sample.news.providerKey(environment: .sandbox)]
        },
        RuleCase("a key of this environment", nil) {
            $0.access.keys = [Sample.news.providerKey(environment: .production)]
        },
    ]

    static let certificateCases = [
        RuleCase("a certificate", nil) { certified(&$0, topics: ["com.example.news"]) },
        RuleCase("a certificate of one topic needs no header", nil) {
            certified(&$0, topics: ["com.example.news"])
            $0.set("apns-topic", nil)
        },
        RuleCase("a certificate of two topics needs it", .missingTopic) {
            certified(&$0, topics: ["com.example.news", "com.example.news.voip"])
            $0.set("apns-topic", nil)
        },
        RuleCase("a certificate of another topic", .topicDisallowed) { certified(&$0, topics: ["com.example.sport"]) },
        RuleCase("a Live Activity with a certificate", .topicDisallowed) {
            certified(&$0, topics: ["com.example.news.push-type.liveactivity"])
            $0.set("apns-topic", "com.example.news.push-type.liveactivity")
            $0.set("apns-push-type", "liveactivity")
            $0.body = #"{"aps":{"event":"end","timestamp":1790000000}}"#
        },
        RuleCase("a certificate that was not issued", .badCertificate) {
            certified(&$0, topics: ["com.example.news"])
            $0.certificate = "someone"
        },
        RuleCase("a certificate of the other environment", .badCertificateEnvironment) {
            certified(&$0, topics: ["com.example.news"], environment: .sandbox)
        },
    ]

    @Test func `a provider token may change after twenty minutes, not before`() throws {
        let rules = APNsRules(tokens: try ProviderTokens(access: Sample().access))
        var connection = APNsConnectionFacts()
        var sample = Sample()
        #expect(try sample.finding(on: &connection, rules: rules) == .passed(try #require(key(Sample.token))))
        sample.issuedAt = Sample.now + 1
        #expect(
            try sample.finding(on: &connection, rules: rules, now: Sample.now + 1199)
                == .refused(.tooManyProviderTokenUpdates, key(Sample.token))
        )
        #expect(
            try sample.finding(on: &connection, rules: rules, now: Sample.now + 1200)
                == .passed(try #require(key(Sample.token)))
        )
    }

    @Test func `a team may not show more tokens than allowed within twenty minutes`() throws {
        var sample = Sample()
        sample.access.teamTokensMost = 2
        let rules = APNsRules(tokens: try ProviderTokens(access: sample.access))
        let tokens = [Int64](0..<4).map { "bearer \(Sample.news.token(issuedAt: Sample.now + $0))" }
        func reason(_ token: String, after seconds: Int64) throws -> APNsReason? {
            var connection = APNsConnectionFacts()
            sample.authorization = token
            let finding = try sample.finding(on: &connection, rules: rules, now: Sample.now + seconds)
            guard case .refused(let reason, _) = finding else { return nil }
            return reason
        }
        #expect(try reason(tokens[0], after: 0) == nil)
        #expect(try reason(tokens[1], after: 1) == nil)
        #expect(try reason(tokens[2], after: 2) == .tooManyProviderTokenUpdates)
        #expect(try reason(tokens[1], after: 3) == nil)
        #expect(try reason(tokens[3], after: 1300) == nil)
    }

    @Test func `a key of another kind needs a connection of its own`() throws {
        var sample = Sample()
        sample.access.keys = [
            Sample.news.providerKey, Sample.sport.providerKey(topics: ["com.example.news"]),
        ]
        let rules = APNsRules(tokens: try ProviderTokens(access: sample.access))
        var connection = APNsConnectionFacts()
        #expect(try sample.finding(on: &connection, rules: rules) == .passed(try #require(key(Sample.token))))
        sample.signer = Sample.sport
        #expect(
            try sample.finding(on: &connection, rules: rules) == .refused(.unrelatedKey, key(Sample.token))
        )
        var another = APNsConnectionFacts()
        #expect(try sample.finding(on: &another, rules: rules) == .passed(try #require(key(Sample.token))))
    }

    @Test func `only a good provider token authenticates a connection`() throws {
        let rules = APNsRules(tokens: try ProviderTokens(access: Sample().access))
        var connection = APNsConnectionFacts()
        var sample = Sample()
        sample.issuedAt = 0
        _ = try sample.finding(on: &connection, rules: rules)
        #expect(!connection.isAuthenticated)
        sample.issuedAt = Sample.now
        sample.body = ""
        _ = try sample.finding(on: &connection, rules: rules)
        #expect(connection.isAuthenticated)
    }

    private func key(_ token: String) -> DeviceTokenKey? { DeviceTokenKey(hexadecimal: Array(token.utf8)[...]) }

    private static func token(
        header: String = #"{"alg":"ES256","kid":"NEWSKEY001"}"#,
        claims: String = #"{"iss":"TEAM000001","iat":1790000000}"#
    ) -> String {
        "bearer \(Sample.news.token(header: header, claims: claims))"
    }

    private static func certified(
        _ sample: inout Sample,
        topics: [String],
        environment: APNsAccess.Environment? = nil
    ) {
        sample.certificate = "Apple Push Services: com.example.news"
        sample.access.certificates = [
            APNsAccess.ClientCertificate(
                commonName: "Apple Push Services: com.example.news",
                topics: topics,
                environment: environment
            )
        ]
    }
}
