/// The question for a plan: how many devices, in which time, through which provider.
public struct CapacityAsk: Sendable, Equatable {
    /// Devices of the campaign.
    public var devices: Int
    /// Seconds from the first request to the last answer; more than 0.
    public var seconds: Double
    /// Seconds from a request to its answer.
    public var latency: Double
    /// The provider.
    public var provider: CapacityProvider
    /// Bytes of a payload.
    public var payloadBytes: Int
    /// Cores of a machine that workers run on.
    public var cores: Int
    /// Requests a minute that the provider allows the project; nil for no limit.
    public var perMinute: Int?

    /// Creates a question; without `perMinute` the provider's quota is no limit.
    public init(
        devices: Int,
        seconds: Double,
        latency: Double = 0.06,
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
}

/// The differences between providers that matter for capacity.
public struct CapacityProvider: Sendable, Equatable {
    /// The name in `apps.yaml`.
    public let name: String
    /// The concurrent requests on one connection, as the provider announces them (`SETTINGS_MAX_CONCURRENT_STREAMS`).
    public let streams: Int
    /// The bytes of a request besides its payload: frames, and header fields that change or are never indexed.
    public let overheadBytes: Int
    /// The scenario of `fanfare bench` that measures a push to this provider.
    public let scenario: String

    /// Apple: each request has its own path (a token of 64 digits in Huffman code) and id.
    public static let apns = CapacityProvider(name: "apns", streams: 1000, overheadBytes: 110, scenario: "sending")
    /// Google: a bearer token of a kilobyte goes with each request in full; the device's token is in the body.
    public static let fcm = CapacityProvider(name: "fcm", streams: 100, overheadBytes: 1250, scenario: "fcm")

    /// All providers that are measured.
    public static let all = [apns, fcm]
}
