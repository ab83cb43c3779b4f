import Campaigns
import Delivery
import TLS
import Testing

@testable import Settings

@Suite struct WebhookFieldsTests {
    private let folder: ScratchFolder
    private let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    init() throws {
        folder = try ScratchFolder()
        try folder.write("key.p8", try ES256.generateKey().privateKeyPEM)
        try folder.write("hook.secret", "# by the platform team\n\(secret)\n")
    }

    private func read(_ hooks: String, hosts: [String]? = ["hooks.example.com"]) throws -> AppConfiguration {
        let yaml = """
            apps:
              news:
                apns: {topic: com.example.news, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8}
                webhooks:\(hooks)

            """
        let allowed = hosts.map { WebhookHosts.read($0).hosts }
        let path = try folder.write("apps.yaml", yaml)
        return try #require(try AppsFile.read(path: path, webhookHosts: allowed).first)
    }

    private func problem(_ hooks: String, hosts: [String]? = ["hooks.example.com"]) throws -> ConfigurationProblem {
        let problems = try #require(throws: ConfigurationError.self) { try read(hooks, hosts: hosts) }.problems
        #expect(problems.count == 1, "\(problems.map(\.line))")
        return try #require(problems.first)
    }

    @Test func `an app's webhooks are read, with all events but those of shards unless it names some`() throws {
        let news = try read(
            """

                  - url: https://hooks.example.com/all
                    secret_file: hook.secret
                  - url: https://hooks.example.com/dead
                    secret_file: hook.secret
                    events: [campaign.completed, device.invalid]
            """
        )
        #expect(news.webhooks.map(\.url.target) == ["/all", "/dead"])
        #expect(news.webhooks.map(\.kinds) == [.ofLife, [EventKinds(.completed), EventKinds(.deviceInvalid)]])
        #expect(EventKinds.ofLife.kinds.count == CampaignEvent.Kind.allCases.count - 2)
        // Nobody else needs to ask for the events that the webhook wants.
        #expect(news.askedEvents == [.deviceInvalid])
        var dumped = "\(news)"
        dump(news, to: &dumped)
        #expect(!dumped.contains("MfKQ9r8G"))
    }

    @Test func `a host that is not in the list is refused with the entry that is missing`() throws {
        let hook = " [{url: https://evil.example/in, secret_file: hook.secret}]"
        let refused = try problem(hook)
        #expect(refused.code == "host_not_allowed" && refused.key == "apps.news.webhooks[0].url")
        #expect(refused.fix == "add evil.example to events.webhook_hosts (FANFARE_EVENTS_WEBHOOK_HOSTS)")
        #expect(refused.location == folder.path + "/apps.yaml:4")
        #expect(try problem(hook, hosts: []).code == "host_not_allowed")
        let local = " [{url: \"http://127.0.0.1:9000/in\", secret_file: hook.secret}]"
        #expect(try problem(local).fix?.hasPrefix("add 127.0.0.1:9000 to events.webhook_hosts") == true)
        #expect(try read(local, hosts: ["127.0.0.1:9000"]).webhooks.count == 1)
        // Where nothing is posted, no events are asked for.
        #expect(try read(hook, hosts: nil).webhooks.count == 1)
    }

    @Test(arguments: [
        (" {}", "webhooks", "wrong_type"),
        (" [{secret_file: hook.secret}]", "webhooks[0].url", "missing"),
        (" [{url: \"http://hooks.example.com/in\", secret_file: hook.secret}]", "webhooks[0].url", "invalid_url"),
        (" [{url: https://hooks.example.com/in}]", "webhooks[0].secret_file", "missing"),
        (" [{url: https://hooks.example.com/in, secret_file: none}]", "webhooks[0].secret_file", "unreadable_file"),
        (" [{url: https://hooks.example.com/in, secret_file: key.p8}]", "webhooks[0].secret_file", "invalid_key"),
        (
            " [{url: https://hooks.example.com/in, secret_file: hook.secret, event: []}]", "webhooks[0].event",
            "unknown_key"
        ),
        (
            " [{url: https://hooks.example.com/in, secret_file: hook.secret, events: []}]", "webhooks[0].events",
            "wrong_type"
        ),
        (
            " [{url: https://hooks.example.com/in, secret_file: hook.secret, events: [campaign.complete]}]",
            "webhooks[0].events", "invalid_value"
        ),
        (
            " [{url: https://hooks.example.com/in, secret_file: hook.secret, ca_file: hook.secret}]",
            "webhooks[0].ca_file", "invalid_key"
        ),
        (
            " [{url: https://hooks.example.com/in, secret_file: hook.secret}, {url: https://hooks.example.com/in,"
                + " secret_file: hook.secret}]",
            "webhooks[1].url", "given_twice"
        ),
    ])
    func `a mistake is named where it is, with how to fix it`(hooks: String, key: String, code: String) throws {
        let found = try problem(hooks)
        #expect(found.key == "apps.news.\(key)" && found.code == code, "\(found.line)")
        #expect(found.fix != nil || code == "invalid_key")
        #expect(!found.line.contains("MfKQ9r8G"))
    }

    @Test(arguments: [
        ("whsec_!!!", 1, "what follows whsec_ is not base64"),
        ("\nMfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", 2, "a secret begins with whsec_"),
        ("whsec_MfKQ9r8GKYqrTwjU", 1, "the secret has 12 bytes; it needs 24 to 64"),
    ])
    func `a secret that is none is refused with its line`(text: String, line: Int, detail: String) throws {
        let error = try #require(throws: WebhookSecrets.Unusable.self) { try WebhookSecrets(file: Array(text.utf8)) }
        #expect(error == WebhookSecrets.Unusable(line: line, detail: detail))
    }

    @Test func `two secrets at most, and one at least`() throws {
        let three = Array(repeating: secret, count: 3).joined(separator: "\n")
        #expect(throws: WebhookSecrets.Unusable(line: 3, detail: "there are two secrets already")) {
            try WebhookSecrets(file: Array(three.utf8))
        }
        #expect(throws: WebhookSecrets.Unusable(line: nil, detail: "there is no secret in it")) {
            try WebhookSecrets(file: Array("# none\n".utf8))
        }
    }

    @Test func `the list of hosts is checked in the configuration, from a list or with commas`() throws {
        func load(_ yaml: String, _ environment: [String: String] = [:]) throws -> Configuration {
            try folder.write("fanfare.yaml", yaml)
            return try ConfigurationSources(environment: environment, workingDirectory: folder.path).load()
        }
        let hosts = ["hooks.example.com", "*.example.org"]
        #expect(
            try load("events:\n  webhook_hosts: [hooks.example.com, \"*.example.org\"]\n").webhookHosts.entries == hosts
        )
        let variable = ["FANFARE_EVENTS_WEBHOOK_HOSTS": "hooks.example.com, *.example.org"]
        #expect(try load("", variable).webhookHosts.entries == hosts)
        #expect(try load("").webhookHosts == .none)
        let error = try #require(throws: ConfigurationError.self) {
            try load("events:\n  webhook_hosts: https://hooks.example.com/\n")
        }
        #expect(error.problems.map(\.code) == ["invalid_host"] && error.problems.first?.fix != nil)
    }
}
