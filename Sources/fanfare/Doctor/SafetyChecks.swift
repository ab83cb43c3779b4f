import Campaigns
import Delivery
import PushProviders
import Settings
import Transport

/// Checks for settings that work but let strangers in; none of them keeps a push from being sent.
struct SafetyChecks {
    let configuration: Configuration

    /// Runs all checks; contacts nobody.
    func run() -> [Finding] {
        let server = configuration.server
        let isSecure = server.certificateFile != nil
        var findings = [Self.user(configuration.amqp.user)]
        findings += Self.edge(at: server.edgeListen ?? server.listen, isSecure: isSecure).map { [$0] } ?? []
        if let path = server.tokensFile, let tokens = try? TokensFile.read(path: path) {
            findings.append(Self.tokens(tokens))
        }
        // An unreadable file is reported by the checks of apps.
        let apps = try? AppsFile.read(path: configuration.appsFile, webhookHosts: configuration.webhookHosts)
        for app in apps ?? [] {
            findings += app.accounts.compactMap { Self.addresses($0.account, of: app.name) }
            if let edge = app.edge { findings.append(Self.users(edge, of: app.name)) }
        }
        return findings
    }

    /// Returns the finding about the broker's user, which may be the one of every new RabbitMQ.
    static func user(_ name: String) -> Finding {
        guard name == "guest" else { return .well("broker user", name) }
        return .warning(
            "broker user",
            "guest, whose password everybody knows and who may do everything",
            fix: "import Deploy/rabbitmq/definitions.json, name its user in amqp.url, and delete guest"
        )
    }

    /// Returns the finding about eavesdropping on the edge; nil on loopback, where a proxy has the certificate.
    static func edge(at address: Configuration.NetworkAddress, isSecure: Bool) -> Finding? {
        if Loopback.isLoopback(host: address.host) { return nil }
        guard !isSecure else { return .well("edge TLS", "\(address) has a certificate") }
        return .warning(
            "edge TLS",
            "\(address) answers without TLS: secrets of devices cross the network in the clear",
            fix:
                "server.certificate_file and server.private_key_file, or listen on 127.0.0.1 behind a proxy that has them"
        )
    }

    /// Returns the finding about access tokens without an end.
    static func tokens(_ tokens: [AccessToken]) -> Finding {
        let eternal = tokens.filter { $0.expiresAt == nil }.map(\.name)
        guard !eternal.isEmpty else { return .well("access tokens", "\(tokens.count), each with an end") }
        return .warning(
            "access tokens",
            "without an end: \(eternal.joined(separator: ", "))",
            fix: "make new ones (fanfare server token create), then fanfare server token revoke"
        )
    }

    /// Returns the finding about strangers who could make this machine call its own network; nil where only the
    /// operator names hosts.
    static func addresses(_ account: any ProviderAccount, of app: String) -> Finding? {
        guard account.isServedByStrangers, !account.reachesGlobalAddressesOnly else { return nil }
        return .warning(
            "\(app) addresses",
            "any: whoever subscribes a browser can make workers call any address that they reach",
            fix: "take addresses: any out of the app's \(account.provider.name.rawValue)"
        )
    }

    /// Returns the finding about users that nobody vouches for.
    static func users(_ edge: EdgeConfiguration, of app: String) -> Finding {
        let check = "\(app) users"
        if edge.requiresUserToken { return .well(check, "each is vouched for by the app's back end") }
        return .warning(
            check,
            "require_user_token is false: whoever has the app gets any user's campaigns by naming the user",
            fix: "edge: {user_keys_file: …, require_user_token: true}, unless no campaign is for users"
        )
    }
}
