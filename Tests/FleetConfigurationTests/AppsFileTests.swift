import Campaigns
import TLS
import Testing

@testable import Fleet

@Suite struct AppsFileTests {
    private let folder: ScratchFolder
    private let key: [UInt8]

    init() throws {
        folder = try ScratchFolder()
        key = try ES256.generateKey().privateKeyPEM
        try folder.write("key.p8", key)
    }

    private func read(_ yaml: String) throws -> [AppConfiguration] {
        try AppsFile.read(path: folder.write("apps.yaml", yaml))
    }

    private func problems(_ yaml: String) throws -> [ConfigurationProblem] {
        try #require(throws: ConfigurationError.self) { try read(yaml) }.problems
    }

    private func app(_ fields: String, apns: String? = nil) -> String {
        let block = apns ?? "topic: com.example.news, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8"
        return "apps:\n  news:\n    apns: {\(block)}\n\(fields)"
    }

    @Test func `an app with a key is read, paths relative to the file`() throws {
        let apps = try read(
            app(
                "    default_locale: es-ES\n    time_zone: Europe/Madrid\n    events: [shard.settled]\n",
                apns: """
                    topic: com.example.news, team_id: ABCDE12345, key_id: 1234567890, key_file: key.p8,
                      environment: sandbox, endpoint: "https://localhost:8443"
                    """
            )
        )
        let news = try #require(apps.first)
        #expect(apps.count == 1)
        #expect(news.name == "news")
        #expect(news.defaultLocale == "es-ES")
        #expect(news.timeZone == "Europe/Madrid")
        #expect(news.events == [.shardSettled])
        let apns = try #require(news.apns)
        #expect(apns.topic == "com.example.news")
        #expect(apns.environment == .sandbox)
        #expect(apns.endpoint == .init(host: "localhost", port: 8443))
        guard case .key(let team, let id, let pem) = apns.credential else {
            Issue.record("not a key")
            return
        }
        #expect(team == "ABCDE12345")
        #expect(id == "1234567890")
        #expect(pem.bytes == key)
    }

    @Test func `production and Apple are the defaults`() throws {
        let apns = try #require(try read(app("")).first?.apns)
        #expect(apns.environment == .production)
        #expect(apns.endpoint == nil)
        #expect(apns.certificateAuthority == nil)
    }

    @Test func `a key is never printed`() throws {
        let app = try #require(try read(app("")).first)
        var dumped = ""
        dump(app, to: &dumped)
        let text = String(decoding: key, as: UTF8.self).split(separator: "\n")[1]
        #expect(!dumped.contains(text) && !"\(app)".contains(text))
    }

    @Test(arguments: [
        ("    apnss: {}\n", "apps.news.apnss", "unknown_key"),
        ("    fcm: {service_account_file: a.json}\n", "apps.news.fcm", "not_in_this_version"),
        ("    edge: {}\n", "apps.news.edge", "not_in_this_version"),
        ("    categories: {}\n", "apps.news.categories", "not_in_this_version"),
        ("    variables: {}\n", "apps.news.variables", "not_in_this_version"),
        ("    per_second: 5\n", "apps.news.per_second", "not_in_this_version"),
        ("    frequency_cap: []\n", "apps.news.frequency_cap", "not_in_this_version"),
        ("    payload_names: {}\n", "apps.news.payload_names", "not_in_this_version"),
        ("    events: [device.invalidd]\n", "apps.news.events", "unknown_word"),
        ("    events: device.invalid\n", "apps.news.events", "wrong_type"),
        ("    time_zone: Europe/Madri\n", "apps.news.time_zone", "invalid_value"),
        ("    time_zone: ../../etc/passwd\n", "apps.news.time_zone", "invalid_value"),
        ("    default_locale: spanish_es\n", "apps.news.default_locale", "invalid_value"),
        (
            "  two words:\n    apns: {topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8}\n",
            "apps.two words", "invalid_name"
        ),
        ("  sports:\n    default_locale: es\n", "apps.sports.apns", "missing"),
    ])
    func `a field that cannot be is refused with its line`(fields: String, path: String, code: String) throws {
        let found = try problems(app(fields))
        #expect(found.map(\.key) == [path])
        #expect(found.map(\.code) == [code])
        #expect(found.first?.place == folder.path + "/apps.yaml:4")
    }

    @Test(arguments: [
        ("team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8", "topic", "missing"),
        ("topic: a.b, key_id: ABC123DEFG, key_file: key.p8", "team_id", "missing"),
        ("topic: a.b, team_id: ABCDE12345, key_id: short, key_file: key.p8", "key_id", "invalid_value"),
        ("topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: none.p8", "key_file", "unreadable_file"),
        ("topic: a.b, certificate_file: key.p8", "private_key_file", "missing"),
        ("topic: a.b, certificate_file: key.p8, private_key_file: key.p8", "certificate_file", "invalid_key"),
        (
            "topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8, environment: live", "environment",
            "invalid_value"
        ),
        (
            "topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8, endpoint: http://a", "endpoint",
            "invalid_value"
        ),
        (
            "topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8, endpoint: https://a, ca_file: key.p8",
            "ca_file", "invalid_key"
        ),
    ])
    func `an apns block that cannot be is refused`(block: String, field: String, code: String) throws {
        let found = try problems(app("", apns: block))
        #expect(found.map(\.key) == ["apps.news.apns.\(field)"])
        #expect(found.map(\.code) == [code])
    }

    @Test func `a credential is a key or a certificate, one of them`() throws {
        #expect(try problems(app("", apns: "topic: a.b")).map(\.code) == ["credential"])
        let both = "topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8, certificate_file: key.p8"
        #expect(try problems(app("", apns: both)).map(\.code) == ["credential"])
    }

    @Test func `a CA without an endpoint is refused`() throws {
        let authority = try CertificateAuthority(commonName: "test")
        try folder.write("ca.pem", authority.certificatePEM)
        let block = "topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8, ca_file: ca.pem"
        #expect(try problems(app("", apns: block)).map(\.code) == ["needs_endpoint"])
        let apns = try #require(try read(app("", apns: block + ", endpoint: https://a:1/")).first?.apns)
        #expect(apns.certificateAuthority?.bytes == authority.certificatePEM)
    }

    @Test func `a file that is no key is refused without its content`() throws {
        try folder.write("key.p8", "hunter2 is not a key")
        let found = try problems(app(""))
        #expect(found.map(\.code) == ["invalid_key"])
        #expect(found.first?.line.contains("hunter2") == false)
        #expect(found.first?.line.contains("\n") == false)
    }

    @Test func `a missing file, an empty one and one without apps are refused`() throws {
        let error = try #require(throws: ConfigurationError.self) { try AppsFile.read(path: folder.path + "/none") }
        #expect(error.problems.map(\.code) == ["unreadable_file"])
        #expect(try problems("").map(\.code) == ["missing"])
        #expect(try problems("apps: {}").map(\.code) == ["no_value"])
        #expect(try problems("apps: [a]").map(\.code) == ["wrong_type"])
        #expect(try problems("app: {}").map(\.code) == ["unknown_key", "missing"])
    }

    @Test func `several problems come at once`() throws {
        let found = try problems(app("    tme_zone: x\n    default_locale: 5\n", apns: "topic: a.b, key_file: none"))
        #expect(found.count == 5)
        #expect(found.first { $0.code == "unknown_key" }?.mend == "did you mean time_zone?")
    }
}
