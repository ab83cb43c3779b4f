public import Campaigns

/// An app's account with push services: a VAPID key, the same for all of them.
public struct WebPushAccount: ProviderAccount {
    /// The app's settings.
    public let settings: WebPushSettings

    /// Creates an account.
    public init(settings: WebPushSettings) {
        self.settings = settings
    }

    /// The Web Push provider.
    public var provider: any PushProvider { WebPushProvider() }
    /// See `ProviderAccount`; each push service gets its own tokens.
    public var credential: AccountCredential {
        let settings = settings
        return .token(
            TokenCredential(
                name: "VAPID key \(settings.publicKey.prefix(12))",
                keyFile: settings.privateKeyFile,
                algorithm: .es256,
                isPerEndpoint: true,
                publicKey: settings.publicKey,
                key: VAPIDKeyFile.pem
            ) { VAPIDTokenRule(identity: settings.identity(audience: $0.url)) }
        )
    }
    /// See `ProviderAccount`.
    public var caFile: String? { settings.caFile }
    /// True unless the settings permit private addresses, because subscribers name the host.
    public var reachesGlobalAddressesOnly: Bool { !settings.allowsPrivateAddresses }
    /// True: subscribers name the push service, wherever it is.
    public var isServedByStrangers: Bool { true }
    /// See `ProviderAccount`.
    public var summary: [(name: String, value: String)] {
        let authority = caFile.map { [(name: "ca_file", value: $0)] } ?? []
        return [
            (name: "subject", value: settings.subject),
            (name: "public_key", value: settings.publicKey),
            (name: "credential", value: credential.summary),
            (name: "addresses", value: settings.allowsPrivateAddresses ? "any" : "global"),
        ] + authority + (settings.site.map { [(name: "site", value: $0)] } ?? [])
    }

    /// Returns the push service of an origin.
    ///
    /// Without an origin nothing is ever sent; the result is then a service that browsers use, to test whether this
    /// machine can reach any.
    public func endpoint(_ environment: PushEnvironment?) -> ProviderEndpoint {
        environment.flatMap { ProviderEndpoint(url: $0.rawValue) }
            ?? ProviderEndpoint(host: "updates.push.services.mozilla.com")
    }

    /// Returns no findings: nothing depends on the app.
    public func check(_ job: Job) -> JobCheck { JobCheck() }

    /// Prepares the headers of RFC 8030, section 5; path and body differ per device.
    public func requests(for facts: Shard.Facts, authorization: [UInt8]?, now: Timestamp) -> PreparedRequests {
        let facts = form(of: facts)
        var headers = [
            RequestHeader(":method", "POST"),
            RequestHeader(":scheme", "https"),
            RequestHeader(":authority", endpoint(facts.environment).authority),
            RequestHeader(":path", .path, .literal),
            RequestHeader("content-type", "application/octet-stream"),
            RequestHeader("content-encoding", "aes128gcm"),
            RequestHeader("ttl", String(Self.seconds(facts, now: now))),
            RequestHeader("urgency", Self.urgency(facts.priority)),
        ]
        if !facts.collapseID.isEmpty { headers.append(RequestHeader("topic", facts.collapseID)) }
        if let authorization { headers.append(RequestHeader("authorization", .constant(authorization), .never)) }
        let isPersonal = !facts.personal.isEmpty
        return PreparedRequests(
            provider: provider,
            headers: headers,
            body: isPersonal ? [] : facts.payload,
            messageIDAt: isPersonal ? nil : facts.messageIDAt.map { Int($0) },
            personal: isPersonal
                ? PersonalRequests(
                    facts,
                    bodyBytesMax: WebPushRules.payloadBytesMax,
                    collapseHeader: nil,
                    collapseIDBytesMax: provider.limits.collapseIDBytesMax
                )
                : nil,
            path: [],
            token: .apart,
            seal: SealRule(read: WebPushSubscription.read),
            successStatus: 201
        )
    }

    /// Returns facts in the form that suits their push service.
    private func form(of facts: Shard.Facts) -> Shard.Facts {
        guard DeclarativePush.isKnown(at: facts.environment) else { return facts }
        guard facts.pushType == .background else {
            return DeclarativePush.facts(facts, site: settings.site) ?? facts
        }
        // Each device is left out, with this reason.
        var facts = facts
        facts.payload = []
        facts.messageIDAt = nil
        facts.personal = PersonalContent(placeholders: [
            TemplatePlaceholder(at: 0, form: .text, source: "{% abort \"\(Self.silentReason)\" %}")
        ])
        return facts
    }

    /// The reason for leaving out a device whose push service ends the subscription of a site with silent pushes.
    static let silentReason = "SilentPush"

    /// The remaining time, at least a second, or 0 when the service is not to store the message (RFC 8030, 5.2).
    private static func seconds(_ facts: Shard.Facts, now: Timestamp) -> Int64 {
        if facts.policy.dropIfOffline { return 0 }
        return min(max(1, (facts.expiresAt.milliseconds - now.milliseconds) / 1000), WebPushProvider.secondsMax)
    }

    /// The value of `urgency` (RFC 8030, 5.3).
    private static func urgency(_ priority: UInt8) -> String {
        switch priority {
        case 10...: "high"
        case 5...: "normal"
        default: "low"
        }
    }
}
