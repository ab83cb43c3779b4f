public import Campaigns

/// An app's right to broadcast, with the provider token of its block `apns`.
public struct BroadcastAccount: ProviderAccount {
    /// The app's settings for Apple.
    let settings: APNsSettings

    /// The provider of broadcasts.
    public var provider: any PushProvider { BroadcastProvider() }
    /// See `ProviderAccount`.
    public var credential: AccountCredential { settings.credential }
    /// See `ProviderAccount`.
    public var caFile: String? { settings.caFile }
    /// See `ProviderAccount`.
    public var summary: [(name: String, value: String)] { APNsAccount(settings: settings).summary }
    /// See `ProviderAccount`.
    public var channels: ChannelService? {
        ChannelService(
            bundleID: settings.bundleID,
            environment: settings.environment,
            gateway: settings.endpoint
        )
    }

    /// See `ProviderAccount`; Apple takes broadcasts at the hosts of pushes.
    public func endpoint(_ environment: PushEnvironment?) -> ProviderEndpoint { settings.endpoint(environment) }

    /// See `ProviderAccount`; the provider's rules are all that there is.
    public func check(_ job: Job) -> JobCheck { JobCheck() }

    /// Prepares the headers of C1.9: the channel's id in the place of a device's token, and no topic.
    ///
    /// A shard has one channel, so the request's id is the same for the whole shard.
    public func requests(for facts: Shard.Facts, authorization: [UInt8]?, now: Timestamp) -> PreparedRequests {
        let id = RequestID.text(campaign: CampaignHash(app: facts.app, id: facts.campaignID), device: 0)
        var headers = [
            RequestHeader(":method", "POST"),
            RequestHeader(":scheme", "https"),
            RequestHeader(":authority", endpoint(facts.environment).authority),
            RequestHeader(":path", .path, .literal),
            RequestHeader("apns-push-type", facts.pushType.rawValue),
            RequestHeader("apns-priority", String(facts.priority)),
            RequestHeader("apns-expiration", String(APNsAccount.expiration(of: facts)), .neverAfterFirst),
            RequestHeader("apns-request-id", id, .neverAfterFirst),
            RequestHeader("apns-channel-id", .token, .neverAfterFirst),
        ]
        if let authorization {
            headers.append(RequestHeader("authorization", .constant(authorization), .never))
        }
        return PreparedRequests(
            provider: provider,
            headers: headers,
            body: facts.payload,
            messageIDAt: nil,
            path: Array("/4/broadcasts/apps/\(settings.bundleID)".utf8),
            token: .field,
            successStatus: 200
        )
    }
}
