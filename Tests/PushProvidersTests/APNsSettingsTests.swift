import Campaigns
import PushProviders
import Testing

struct APNsSettingsTests {
    private let good = [
        "topic": "com.example.news", "team_id": "ABCDE12345", "key_id": "ABC123DEFG",
        "key_file": "AuthKey_ABC123DEFG.p8",
    ]

    private func problems(_ change: [String: String], without keys: [String] = []) -> [String] {
        let block = good.merging(change) { $1 }.filter { !keys.contains($0.key) }
        do {
            _ = try APNsProvider().account(block, file: { _ in nil })
            return []
        } catch {
            return error.problems.map { "\($0.pointer) \($0.code)" }
        }
    }

    @Test func `the block of the contract is read`() throws {
        var block = good
        block["environment"] = "sandbox"
        block["endpoint"] = "https://localhost:8443"
        block["ca_file"] = "ca.pem"
        let account = try APNsProvider().account(block, file: { _ in nil })
        let identity = try #require(ProviderTokenIdentity(teamID: "ABCDE12345", keyID: "ABC123DEFG"))
        #expect(account.credential == .token(identity.credential(keyFile: "AuthKey_ABC123DEFG.p8")))
        #expect(account.endpoint(nil) == ProviderEndpoint(host: "localhost", port: 8443))
        #expect(account.endpoint(.production) == ProviderEndpoint(host: "localhost", port: 8443))
        #expect(account.caFile == "ca.pem")
        #expect(account.provider.name == .apns)
    }

    @Test func `Apple's hosts stand for the environments`() throws {
        let account = try APNsProvider().account(good, file: { _ in nil })
        #expect(account.endpoint(nil).description == "api.push.apple.com:443")
        #expect(account.endpoint(.production).description == "api.push.apple.com:443")
        #expect(account.endpoint(.sandbox).description == "api.sandbox.push.apple.com:443")
        let sandbox = try APNsProvider().account(good.merging(["environment": "sandbox"]) { $1 }, file: { _ in nil })
        #expect(sandbox.endpoint(nil).description == "api.sandbox.push.apple.com:443")
    }

    @Test func `a certificate takes the place of the key`() throws {
        let account = try APNsProvider().account(
            [
                "topic": "com.example.news", "certificate_file": "c.pem", "private_key_file": "k.pem",
            ],
            file: { _ in nil }
        )
        #expect(account.credential == .certificate(certificateFile: "c.pem", privateKeyFile: "k.pem"))
    }

    @Test func `a summary says topic, credential, environment and endpoint`() throws {
        func summary(_ block: [String: String]) throws -> [String] {
            try APNsProvider().account(block, file: { _ in nil }).summary.map { "\($0.name)=\($0.value)" }
        }
        #expect(
            try summary(good) == [
                "topic=com.example.news", "credential=key ABC123DEFG of team ABCDE12345", "environment=production",
                "endpoint=https://api.push.apple.com",
            ]
        )
        let gateway = [
            "topic": "a.b", "certificate_file": "c.pem", "private_key_file": "k.pem", "environment": "sandbox",
            "endpoint": "https://localhost:8443", "ca_file": "ca.pem",
        ]
        #expect(
            try summary(gateway) == [
                "topic=a.b", "credential=certificate c.pem", "environment=sandbox", "endpoint=https://localhost:8443",
                "ca_file=ca.pem",
            ]
        )
    }

    @Test func `a credential names its files`() throws {
        #expect(try APNsProvider().account(good, file: { _ in nil }).credential.files == ["AuthKey_ABC123DEFG.p8"])
        let pair = AccountCredential.certificate(certificateFile: "c.pem", privateKeyFile: "k.pem")
        #expect(pair.files == ["c.pem", "k.pem"])
    }

    @Test func `an unknown setting is answered with the one that was meant`() throws {
        for (key, pointer, fix) in [("key_flie", "/key_flie", "did you mean key_file?"), ("a/b", "/a~1b", nil)] {
            let refused = try #require(throws: SettingsRefused.self) {
                try APNsProvider().account(good.merging([key: "x"]) { $1 }, file: { _ in nil })
            }
            #expect(refused.problems.map(\.pointer) == [pointer])
            let all = "the settings are \(APNsSettings.keys.joined(separator: ", "))"
            #expect(refused.problems.first?.fix == fix ?? all)
        }
    }

    @Test func `what is wrong is said with its place`() {
        #expect(problems([:]) == [])
        #expect(problems([:], without: ["topic"]) == ["/topic required"])
        #expect(problems(["topic": "com example"]) == ["/topic format"])
        #expect(problems(["team_id": "abc"]) == ["/team_id format"])
        #expect(problems([:], without: ["key_id"]) == ["/key_id required"])
        #expect(problems(["environment": "prod"]) == ["/environment value"])
        #expect(problems(["endpoint": "http://localhost"]) == ["/endpoint format"])
        #expect(problems(["ca_file": "ca.pem"]) == ["/ca_file conflict"])
        #expect(problems(["certificate_file": "c.pem"]) == [" conflict"])
        #expect(problems([:], without: ["team_id", "key_id", "key_file"]) == [" required"])
        #expect(
            problems(["certificat": "c.pem", "key_id": "x", "environment": "x"], without: ["topic"]) == [
                "/certificat unknown_field", "/topic required", "/environment value", "/key_id format",
            ]
        )
    }

    @Test func `the registry knows its providers by name, once each`() {
        #expect(ProviderRegistry.provider(named: .apns)?.name == .apns)
        #expect(ProviderRegistry.provider(named: ProviderName(rawValue: "pigeon")) == nil)
        #expect(Set(ProviderRegistry.providers.map(\.name)).count == ProviderRegistry.providers.count)
    }

    @Test(arguments: [
        ("https://localhost", "localhost", 443), ("https://localhost:8443/", "localhost", 8443),
        ("HTTPS://api.push.apple.com:2197", "api.push.apple.com", 2197), ("https://[::1]:8443", "::1", 8443),
        ("https://127.0.0.1", "127.0.0.1", 443),
    ])
    func `an endpoint is read from its address`(url: String, host: String, port: UInt16) throws {
        let endpoint = try #require(ProviderEndpoint(url: url))
        #expect(endpoint.host == host)
        #expect(endpoint.port == port)
    }

    @Test(arguments: [
        "", "localhost:8443", "http://localhost", "https://", "https://:8443", "https://a:0", "https://a:65536",
        "https://a:x", "https://a:", "https://a/path", "https://user@a", "https://a b", "https://[::1", "https://[]:1",
        "https://a\r\nx", "https://a?x",
    ])
    func `what is no endpoint is refused`(url: String) {
        #expect(ProviderEndpoint(url: url) == nil)
    }

    @Test func `authority leaves the usual port out and keeps brackets`() {
        #expect(ProviderEndpoint(host: "a.example").authority == "a.example")
        #expect(ProviderEndpoint(host: "::1", port: 8443).authority == "[::1]:8443")
    }
}
