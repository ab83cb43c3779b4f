import Campaigns
import Delivery
import Fleet
import PushProviders
import Transport

/// What works, and lets in whom nobody meant: nothing of it keeps a push from being sent.
struct SafetyChecks {
    let configuration: Configuration

    /// All of them; asks nobody.
    func run() -> [Finding] {
        let server = configuration.server
        let isSecure = server.certificateFile != nil
        var findings = [Self.user(configuration.amqp.user)]
        findings += Self.edge(at: server.edgeListen ?? server.listen, isSecure: isSecure).map { [$0] } ?? []
        if let path = server.tokensFile, let tokens = try? TokensFile.read(path: path) {
            findings.append(Self.tokens(tokens))
        }
        // One that cannot be read is told by the checks of apps.
        let apps = try? AppsFile.read(path: configuration.appsFile, webhookHosts: configuration.webhookHosts)
        for app in apps ?? [] {
            findings += app.accounts.compactMap { Self.addresses($0.account, of: app.name) }
            if let edge = app.edge { findings.append(Self.users(edge, of: app.name)) }
        }
        return findings
    }

    /// Whether the broker's user is the one that every RabbitMQ comes with.
    static func user(_ name: String) -> Finding {
        guard name == "guest" else { return .well("broker user", name) }
        return .warning(
            "broker user",
            "guest, whose password everybody knows and who may do everything",
            fix: "import Deploy/rabbitmq/definitions.json, name its user in amqp.url, and delete guest"
        )
    }

    /// Whether others can listen to what phones say to the edge; nil on loopback, where a proxy has the certificate.
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

    /// Whether each access token has an end.
    static func tokens(_ tokens: [AccessToken]) -> Finding {
        let eternal = tokens.filter { $0.expiresAt == nil }.map(\.name)
        guard !eternal.isEmpty else { return .well("access tokens", "\(tokens.count), each with an end") }
        return .warning(
            "access tokens",
            "without an end: \(eternal.joined(separator: ", "))",
            fix: "make new ones (fanfare server token create), then fanfare server token revoke"
        )
    }

    /// Whether strangers can have this machine call its own network; nil where nobody but the operator names the host.
    static func addresses(_ account: any ProviderAccount, of app: String) -> Finding? {
        guard account.isServedByStrangers, !account.reachesGlobalAddressesOnly else { return nil }
        return .warning(
            "\(app) addresses",
            "any: whoever subscribes a browser has workers call any address that they reach",
            fix: "take addresses: any out of the app's \(account.provider.name.rawValue)"
        )
    }

    /// Whether a device's word is enough for its user.
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
