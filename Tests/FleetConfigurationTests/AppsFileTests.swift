import Campaigns
import Delivery
import PushProviders
import TLS
import Testing

@testable import Settings

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
                "    default_locale: es-ES\n    time_zone: Europe/Madrid\n",
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
        #expect(news.accounts.count == 1)
        let apns = try #require(news.accounts.first)
        let identity = try #require(ProviderTokenIdentity(teamID: "ABCDE12345", keyID: "1234567890"))
        #expect(apns.account.provider.name == .apns)
        #expect(apns.account.credential == .token(identity.credential(keyFile: "key.p8")))
        #expect(apns.account.endpoint(nil) == ProviderEndpoint(host: "localhost", port: 8443))
        #expect(apns.files.mapValues(\.bytes) == ["key.p8": key])
        #expect(apns.files["key.p8"]?.source == folder.path + "/key.p8")
        #expect(apns.location == folder.path + "/apps.yaml:3")
    }

    @Test func `an app may have keys for message ids, and its line is said when they are no good`() throws {
        let key = String(repeating: "5a", count: 32)
        try folder.write("news.message.key", "7 \(key)\n")
        let fields = "    edge: {message_key_file: news.message.key}\n"
        let news = try #require(try read(app(fields)).first)
        #expect(news.messageKeys?.epochs == [7])
        var dumped = ""
        dump(news, to: &dumped)
        // Neither as text nor as a list of its bytes; the folder's random name may have any digits.
        #expect(!dumped.contains("5a5a") && !dumped.contains("- 90\n"))
        #expect(try read(app("")).first?.messageKeys == nil)

        try folder.write("news.message.key", "7 \(key.dropLast(2))\n")
        let problem = try #require(try problems(app(fields)).first)
        #expect(problem.key == "apps.news.edge.message_key_file")
        #expect(problem.detail == "\(folder.path)/news.message.key:1: the key has 31 bytes; it needs 32 to 64")
        #expect(problem.fix?.contains("openssl rand -hex 32") == true)
        #expect(!problem.line.contains("5a5a"))
    }

    @Test func `a frequency cap is a list of rules`() throws {
        let rules = "[{most: 3, per: 1d, tags: [sport, cup]}, {most: 10, per: 12h}]"
        let news = try #require(try read(app("    frequency_cap: \(rules)\n")).first)
        #expect(
            news.frequencyCap
                == FrequencyCap([
                    .init(most: 3, per: .seconds(86_400), tags: ["sport", "cup"]),
                    .init(most: 10, per: .seconds(43_200)),
                ])
        )
        #expect(try read(app("")).first?.frequencyCap == FrequencyCap())
        #expect(try read(app("    frequency_cap: []\n")).first?.frequencyCap == FrequencyCap())
        let many = Array(repeating: "{most: 1, per: 1h}", count: 11).joined(separator: ", ")
        #expect(try problems(app("    frequency_cap: [\(many)]\n")).map(\.key) == ["apps.news.frequency_cap"])
    }

    @Test func `production and Apple are the defaults`() throws {
        let account = try #require(try read(app("")).first?.accounts.first?.account)
        #expect(account.endpoint(nil) == account.endpoint(.production))
        #expect(account.endpoint(nil).host == "api.push.apple.com")
        #expect(account.caFile == nil)
    }

    @Test func `a certificate and its key are read`() throws {
        let authority = try CertificateAuthority(commonName: "test")
        let identity = try authority.issueClient(commonName: "a.b")
        try folder.write("c.pem", identity.certificatePEM)
        try folder.write("k.pem", identity.privateKeyPEM)
        let block = "topic: a.b, certificate_file: c.pem, private_key_file: k.pem"
        let account = try #require(try read(app("", apns: block)).first?.accounts.first)
        #expect(account.account.credential == .certificate(certificateFile: "c.pem", privateKeyFile: "k.pem"))
        #expect(
            account.files.mapValues(\.bytes) == [
                "c.pem": identity.certificatePEM, "k.pem": identity.privateKeyPEM,
            ]
        )
    }

    @Test func `a key is never printed`() throws {
        let app = try #require(try read(app("")).first)
        var dumped = ""
        dump(app, to: &dumped)
        let text = String(decoding: key, as: UTF8.self).split(separator: "\n")[1]
        #expect(!dumped.contains(text) && !"\(app)".contains(text))
    }

    @Test func `an app is told of shards only when it asks`() throws {
        #expect(try read(app("")).first?.askedEvents == [])
        #expect(try read(app("    events: [device.invalid]\n")).first?.askedEvents == [.deviceInvalid])
        let both = try read(app("    events: [shard.settled, device.invalid]\n")).first
        #expect(both?.askedEvents == [.shardSettled, .deviceInvalid])
    }

    @Test(arguments: [
        ("    apnss: {}\n", "apps.news.apnss", "unknown_key"),
        (
            "    edge: {integration_keys_file: none.keys}\n", "apps.news.edge.integration_keys_file",
            "unreadable_file"
        ),
        ("    edge: {message_key: a}\n", "apps.news.edge.message_key", "unknown_key"),
        ("    edge: {message_key_file: [a]}\n", "apps.news.edge.message_key_file", "invalid_value"),
        ("    edge: {message_key_file: none.key}\n", "apps.news.edge.message_key_file", "unreadable_file"),
        ("    edge: {message_key_file: key.p8}\n", "apps.news.edge.message_key_file", "invalid_key"),
        (
            "    edge: {integration_keys_file: key.p8}\n", "apps.news.edge.integration_keys_file", "wrong_type"
        ),
        ("    edge: {user_keys_file: key.p8}\n", "apps.news.edge.user_keys_file", "invalid_key"),
        ("    edge: {require_user_token: true}\n", "apps.news.edge.require_user_token", "missing"),
        ("    edge: {device_tags: 1}\n", "apps.news.edge.device_tags", "invalid_value"),
        ("    edge: {web_origins: a}\n", "apps.news.edge.web_origins", "wrong_type"),
        (#"    edge: {web_origins: ["*"]}"# + "\n", "apps.news.edge.web_origins", "invalid_value"),
        (#"    edge: {web_origins: ["https://a.example/"]}"# + "\n", "apps.news.edge.web_origins", "invalid_value"),
        (#"    edge: {web_origins: ["https://a.example:443"]}"# + "\n", "apps.news.edge.web_origins", "invalid_value"),
        (#"    edge: {web_origins: ["https://A.example"]}"# + "\n", "apps.news.edge.web_origins", "invalid_value"),
        (#"    edge: {web_origins: ["http://a.example"]}"# + "\n", "apps.news.edge.web_origins", "invalid_value"),
        (#"    edge: {web_origins: ["https://a..example"]}"# + "\n", "apps.news.edge.web_origins", "invalid_value"),
        (#"    edge: {web_origins: ["https://a.example:0"]}"# + "\n", "apps.news.edge.web_origins", "invalid_value"),
        (#"    edge: {web_origins: [a.example]}"# + "\n", "apps.news.edge.web_origins", "invalid_value"),
        (#"    edge: {web_origins: [null]}"# + "\n", "apps.news.edge.web_origins", "invalid_value"),
        (#"    edge: {web_origins: ["ftp://localhost"]}"# + "\n", "apps.news.edge.web_origins", "invalid_value"),
        ("    edge: 5\n", "apps.news.edge", "wrong_type"),
        ("    categories: 5\n", "apps.news.categories", "wrong_type"),
        ("    variables: 5\n", "apps.news.variables", "wrong_type"),
        ("    per_second: 0\n", "apps.news.per_second", "invalid_value"),
        ("    frequency_cap: 3\n", "apps.news.frequency_cap", "wrong_type"),
        ("    frequency_cap: [5]\n", "apps.news.frequency_cap[0]", "wrong_type"),
        ("    frequency_cap: [{most: 0, per: 1d}]\n", "apps.news.frequency_cap[0].most", "invalid_value"),
        ("    frequency_cap: [{most: 3, per: 31d}]\n", "apps.news.frequency_cap[0].per", "invalid_value"),
        ("    frequency_cap: [{most: 3, per: day}]\n", "apps.news.frequency_cap[0].per", "invalid_value"),
        ("    frequency_cap: [{most: 3}]\n", "apps.news.frequency_cap[0]", "missing"),
        ("    frequency_cap: [{most: 3, per: 1d, tag: [a]}]\n", "apps.news.frequency_cap[0].tag", "unknown_key"),
        ("    frequency_cap: [{most: 3, per: 1d, tags: []}]\n", "apps.news.frequency_cap[0].tags", "invalid_value"),
        ("    frequency_cap: [{most: 3, per: 1d, tags: a}]\n", "apps.news.frequency_cap[0].tags", "invalid_value"),
        ("    payload_names: 5\n", "apps.news.payload_names", "wrong_type"),
        ("    events: [shard.settled, device.dead]\n", "apps.news.events", "invalid_value"),
        ("    events: [campaign.accepted]\n", "apps.news.events", "invalid_value"),
        ("    events: all\n", "apps.news.events", "wrong_type"),
        ("    time_zone: Europe/Madri\n", "apps.news.time_zone", "invalid_value"),
        ("    time_zone: ../../etc/passwd\n", "apps.news.time_zone", "invalid_value"),
        ("    default_locale: spanish_es\n", "apps.news.default_locale", "invalid_value"),
        (
            "  two words:\n    apns: {topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8}\n",
            "apps.two words", "invalid_name"
        ),
        ("  sports:\n    default_locale: es\n", "apps.sports", "missing"),
    ])
    func `a field that cannot be is refused with its line`(fields: String, path: String, code: String) throws {
        let found = try problems(app(fields))
        #expect(found.map(\.key) == [path])
        #expect(found.map(\.code) == [code])
        #expect(found.first?.location == folder.path + "/apps.yaml:4")
    }

    @Test(arguments: [
        ("team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8", "topic", "required"),
        ("topic: a.b, key_id: ABC123DEFG, key_file: key.p8", "team_id", "required"),
        ("topic: a.b, team_id: ABCDE12345, key_id: short, key_file: key.p8", "key_id", "format"),
        ("topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: none.p8", "key_file", "unreadable_file"),
        ("topic: a.b, certificate_file: key.p8", "private_key_file", "required"),
        ("topic: a.b, certificate_file: key.p8, private_key_file: key.p8", "certificate_file", "invalid_key"),
        (
            "topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8, environment: live", "environment",
            "value"
        ),
        (
            "topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8, endpoint: http://a", "endpoint",
            "format"
        ),
        (
            "topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8, endpoint: https://a, ca_file: key.p8",
            "ca_file", "invalid_key"
        ),
        (
            "topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8, key_fil: a", "key_fil",
            "unknown_field"
        ),
        (
            "topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8, proxy: {host: a}", "proxy",
            "unknown_field"
        ),
        ("topic: [a.b], team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8", "topic", "wrong_type"),
        ("topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: ", "key_file", "no_value"),
    ])
    func `an apns block that cannot be is refused`(block: String, field: String, code: String) throws {
        let found = try problems(app("", apns: block))
        #expect(found.map(\.key) == ["apps.news.apns.\(field)"])
        #expect(found.map(\.code) == [code])
    }

    @Test func `a credential is a key or a certificate, one of them`() throws {
        let none = try problems(app("", apns: "topic: a.b"))
        #expect(none.map(\.code) == ["required"])
        #expect(none.map(\.key) == ["apps.news.apns"])
        let both = "topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8, certificate_file: key.p8"
        #expect(try problems(app("", apns: both)).map(\.code) == ["conflict"])
    }

    @Test func `a CA without an endpoint is refused`() throws {
        let authority = try CertificateAuthority(commonName: "test")
        try folder.write("ca.pem", authority.certificatePEM)
        let block = "topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8, ca_file: ca.pem"
        #expect(try problems(app("", apns: block)).map(\.code) == ["conflict"])
        let apns = try #require(try read(app("", apns: block + ", endpoint: https://a:1/")).first?.accounts.first)
        #expect(apns.account.caFile == "ca.pem")
        #expect(apns.files["ca.pem"]?.bytes == authority.certificatePEM)
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
        let found = try problems(
            app("    tme_zone: x\n    default_locale: 5\n", apns: "topic: a.b, key_fil: a, key_file: none")
        )
        #expect(
            Set(found.map(\.key)) == [
                "apps.news.tme_zone", "apps.news.default_locale", "apps.news.apns.key_fil", "apps.news.apns.team_id",
                "apps.news.apns.key_id",
            ]
        )
        #expect(found.first { $0.code == "unknown_key" }?.fix == "did you mean time_zone?")
        #expect(found.first { $0.code == "unknown_field" }?.fix == "did you mean key_file?")
    }

    @Test func `a field of a provider's block has its own line, a missing one that of the block`() throws {
        let yaml = """
            apps:
              news:
                default_locale: es
                apns:
                  topic: a.b
                  environment: live
                  team_id: ABCDE12345
                  key_file: key.p8
            """
        let found = try problems(yaml)
        let locations = Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0.location) })
        let file = folder.path + "/apps.yaml"
        #expect(locations == ["apps.news.apns.environment": file + ":6", "apps.news.apns.key_id": file + ":5"])
    }

    @Test func `a file that the block names is missed at its own line`() throws {
        let yaml = """
            apps:
              news:
                apns:
                  topic: a.b
                  team_id: ABCDE12345
                  key_id: ABC123DEFG
                  key_file: none.p8
                  endpoint: https://localhost:1
                  ca_file: none.pem
            """
        let found = try problems(yaml)
        #expect(found.map(\.key) == ["apps.news.apns.key_file", "apps.news.apns.ca_file"])
        #expect(found.map(\.location) == [7, 9].map { "\(folder.path)/apps.yaml:\($0)" })
        #expect(found.map(\.code) == ["unreadable_file", "unreadable_file"])
    }

    @Test func `a public key that is not the private key's is refused at its line, with the one that is`() throws {
        let point = try ES256.SigningKey(pem: key, source: "test").publicKey()
        let own = String(decoding: Base64URL.encode(point), as: UTF8.self)
        let other = "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
        func yaml(_ publicKey: String) -> String {
            """
            apps:
              news:
                webpush:
                  subject: mailto:push@example.com
                  private_key_file: key.p8
                  public_key: \(publicKey)
            """
        }
        #expect(try read(yaml(own)).first?.accounts.count == 1)
        let problem = try #require(try problems(yaml(other)).first)
        #expect(problem.key == "apps.news.webpush.public_key" && problem.code == "key_mismatch")
        #expect(problem.location == "\(folder.path)/apps.yaml:6")
        #expect(problem.fix?.contains(own) == true)
    }
}
