import Campaigns
package import PushProviders

/// The question for a plan: how many devices, in which time, through which provider.
package struct CapacityAsk: Sendable, Equatable {
    /// The assumed seconds from a request to its answer.
    package static let latencyAssumed = 0.06

    /// Devices of the campaign.
    package var devices: Int
    /// Seconds from the first request to the last answer; more than 0.
    package var seconds: Double
    /// Seconds from a request to its answer.
    package var latency: Double
    /// The provider.
    package var provider: CapacityProvider
    /// Bytes of a payload.
    package var payloadBytes: Int
    /// Cores of a machine that workers run on.
    package var cores: Int
    /// Requests a minute that the provider allows the project; nil for no limit.
    package var perMinute: Int?

    /// Creates a question; without `perMinute` the provider's quota is no limit.
    package init(
        devices: Int,
        seconds: Double,
        latency: Double = latencyAssumed,
        provider: CapacityProvider = .apns,
        payloadBytes: Int = 250,
        cores: Int = 4,
        perMinute: Int? = nil
    ) {
        self.devices = devices
        self.seconds = seconds
        self.latency = latency
        self.provider = provider
        self.payloadBytes = payloadBytes
        self.cores = cores
        self.perMinute = perMinute
    }

    /// The quota of the project; nil if the provider has none.
    package var quota: ProviderQuota? {
        perMinute.map {
            ProviderQuota(provider: ProviderName(rawValue: provider.name), holder: "the project", perMinute: $0)
        }
    }
}

/// The differences between providers that matter for capacity.
package struct CapacityProvider: Sendable, Equatable {
    /// The name in `apps.yaml`.
    package let name: String
    /// The concurrent requests on one connection, as the provider announces them (`SETTINGS_MAX_CONCURRENT_STREAMS`).
    package let streams: Int
    /// The bytes of a request besides its payload: frames, and header fields that change or are never indexed.
    package let overheadBytes: Int
    /// The scenario of `fanfare bench` that measures a push to this provider.
    package let scenario: String

    /// Apple: each request has its own path (a token of 64 digits in Huffman code) and id.
    package static let apns = CapacityProvider(name: "apns", streams: 1000, overheadBytes: 110, scenario: "sending")
    /// Google: a bearer token of a kilobyte goes with each request in full; the device's token is in the body.
    package static let fcm = CapacityProvider(name: "fcm", streams: 100, overheadBytes: 1250, scenario: "fcm")
    /// The web's push services, each with connections of its own: path, VAPID token and the sealed body's header (RFC
    /// 8188, 8291, 8292); 100 streams are what RFC 9113, 6.5.2, asks of a server at least.
    package static let webPush = CapacityProvider(
        name: "webpush",
        streams: 100,
        overheadBytes: 700,
        scenario: "webpush"
    )

    /// All providers.
    package static let all = [apns, fcm, webPush]
}
