/// What a fleet is to do: how many devices, in which time, against which provider.
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

    /// An ask; the provider allows as much as it is asked for unless said otherwise.
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

/// What providers differ in, as far as capacity goes.
public struct CapacityProvider: Sendable, Equatable {
    /// As in `apps.yaml`.
    public let name: String
    /// Requests under way on one connection, as it announces them (`SETTINGS_MAX_CONCURRENT_STREAMS`).
    public let streams: Int
    /// Bytes of a request besides its payload: frame headers, and the header fields that change or are never indexed.
    public let overheadBytes: Int
    /// The bench's scenario that measures a push through it.
    public let scenario: String

    /// Apple: the path (a token of 64 digits in Huffman's code) and an id are each request's own.
    public static let apns = CapacityProvider(name: "apns", streams: 1000, overheadBytes: 110, scenario: "sending")
    /// Google: a bearer of a kilobyte goes whole with each request, the token is in the body.
    public static let fcm = CapacityProvider(name: "fcm", streams: 100, overheadBytes: 1250, scenario: "fcm")

    /// All that are measured.
    public static let all = [apns, fcm]
}
