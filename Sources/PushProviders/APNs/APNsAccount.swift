public import Campaigns

/// An app's account with Apple: topic, hosts, key or certificate.
public struct APNsAccount: ProviderAccount {
    /// The app's settings.
    public let settings: APNsSettings

    /// Creates an account.
    public init(settings: APNsSettings) {
        self.settings = settings
    }

    /// The APNs provider.
    public var provider: any PushProvider { APNsProvider() }
    /// See `ProviderAccount`.
    public var credential: AccountCredential { settings.credential }
    /// See `ProviderAccount`.
    public var caFile: String? { settings.caFile }
    /// See `ProviderAccount`.
    public var summary: [(name: String, value: String)] {
        let authority = caFile.map { [(name: "ca_file", value: $0)] } ?? []
        return [
            (name: "topic", value: settings.topic),
            (name: "credential", value: credential.summary),
            (name: "environment", value: settings.environment.rawValue),
            (name: "endpoint", value: endpoint(nil).url),
        ] + authority
    }

    /// The right to broadcast, which needs a provider token.
    public var companions: [any ProviderAccount] {
        guard case .token = settings.credential else { return [] }
        return [BroadcastAccount(settings: settings)]
    }

    /// See `ProviderAccount`.
    public func endpoint(_ environment: PushEnvironment?) -> ProviderEndpoint {
        settings.endpoint(environment)
    }

    /// Refuses push types that Apple accepts only with a provider token (C1.3).
    public func check(_ job: Job) -> JobCheck {
        guard case .certificate = settings.credential, job.effectivePushType.needsProviderToken else {
            return JobCheck()
        }
        return JobCheck(problems: [
            Problem(
                pointer: "/delivery/push_type",
                code: .conflict,
                detail: "push type \(job.effectivePushType.rawValue) needs a provider token; the app has a certificate",
                fix: "give the app team_id, key_id and key_file"
            )
        ])
    }

    /// The last instant of 32 bits: Apple refuses a later one as BadExpirationDate.
    private static let expirationMax = Int64(UInt32.max)

    /// Returns `apns-expiration`: the absolute end in whole seconds, or 0 when the provider is not to store the push.
    ///
    /// Apple stores a push for at most 30 days. An end beyond the 32 bits of that field becomes its last instant.
    static func expiration(of facts: Shard.Facts) -> Int64 {
        // At least 1, because 0 has another meaning; no live shard has an instant that long ago.
        facts.policy.dropIfOffline ? 0 : min(max(1, facts.expiresAt.seconds), expirationMax)
    }

    /// Prepares the headers of C1.2, compressed as C1.1 asks.
    public func requests(for facts: Shard.Facts, authorization: [UInt8]?, now: Timestamp) -> PreparedRequests {
        var headers = [
            RequestHeader(":method", "POST"),
            RequestHeader(":scheme", "https"),
            RequestHeader(":authority", endpoint(facts.environment).authority),
            RequestHeader(":path", .path, .literal),
            RequestHeader("apns-topic", facts.pushType.topic(of: settings.topic)),
            RequestHeader("apns-push-type", facts.pushType.rawValue),
            RequestHeader("apns-priority", String(facts.priority)),
            RequestHeader("apns-expiration", String(Self.expiration(of: facts)), .neverAfterFirst),
        ]
        if !facts.collapseID.isEmpty {
            headers.append(RequestHeader("apns-collapse-id", facts.collapseID, .neverAfterFirst))
        }
        headers.append(RequestHeader("apns-id", .id, .neverAfterFirst))
        if let authorization {
            headers.append(RequestHeader("authorization", .constant(authorization), .never))
        }
        return PreparedRequests(
            provider: provider,
            headers: headers,
            body: facts.personal.isEmpty ? facts.payload : [],
            messageIDAt: facts.personal.isEmpty ? facts.messageIDAt.map { Int($0) } : nil,
            personal: facts.personal.isEmpty
                ? nil
                : PersonalRequests(
                    facts,
                    bodyBytesMax: facts.pushType.payloadBytesMax,
                    collapseHeader: "apns-collapse-id",
                    collapseIDBytesMax: provider.limits.collapseIDBytesMax
                ),
            path: Array("/3/device/".utf8),
            token: .path,
            id: CampaignHash(app: facts.app, id: facts.campaignID),
            successStatus: 200
        )
    }
}
