/// Up to 500 devices of one part with everything that their requests need: the unit of delivery to a worker.
///
/// A shard is a function of the ledger: campaign row, list version, positions in a chunk. Encoding it twice gives
/// the same bytes, so bodies are never stored.
public struct Shard: Equatable, Sendable {
    /// The major version of a message with templates, and the newest; an unknown one is parked.
    public static let version: UInt32 = 2
    /// The major version of a message without templates, which workers of before them can send.
    public static let plainVersion: UInt32 = 1
    /// Devices in a shard at most.
    public static let devicesMax = 500
    /// Bytes of device columns in a shard at most.
    public static let bytesMax = 256 * 1024

    /// Who it is.
    public var id: ShardID
    /// Raised in the ledger before the shard is published anew on purpose.
    public var generation: UInt32
    /// Which try at its devices this is, from 1.
    public var attempt: UInt32
    /// What is alike for all shards of the part.
    public var facts: Facts
    /// For a retry after a Retry-After beyond the ladder: not before this instant.
    public var notBefore: Timestamp?
    /// Over which stretch of time its requests are spread; nil: as fast as the provider takes them.
    public var slot: Slot?
    /// The index in the list of the chunk's first device.
    public var firstIndex: UInt32
    /// The devices' positions in the chunk; empty when the shard is the whole chunk.
    public var positions: [UInt16]
    /// The devices.
    public var devices: DeviceBatch
    /// Fields of a later version as they came, which this one hands on with the shard and its retries.
    public var laterFields: [UInt8] = []

    /// What all shards of a campaign's part share.
    public struct Facts: Equatable, Sendable {
        /// The app whose credentials send.
        public var app: String
        /// The campaign's id in its app.
        public var campaignID: String
        /// Who delivers.
        public var provider: ProviderName
        /// The provider's world; nil is the app's own.
        public var environment: PushEnvironment?
        /// Half of the lane.
        public var urgency: Urgency
        /// What `apns-push-type` says.
        public var pushType: PushType
        /// What `apns-priority` says: 10, 5 or 1.
        public var priority: UInt8
        /// After this instant no request is made.
        public var expiresAt: Timestamp
        /// Whether the provider is asked not to store the push.
        public var dropIfOffline: Bool
        /// What merges on the device; at most 64 bytes.
        public var collapseID: String
        /// Charged tries a device gets.
        public var maxAttempts: UInt32
        /// Whether a device without an answer is given up instead of sent to again.
        public var dropUnknown: Bool
        /// The payload, but for what `personal` has.
        public var payload: [UInt8]
        /// Where in the payload each device's message id is written, see `MessageIDPlace`; nil when it has none.
        public var messageIDAt: UInt32?
        /// The templates in the payload and of the collapse id.
        public var personal: PersonalContent
        /// W3C trace context of the producer; empty when there is none.
        public var traceParent: String

        /// Facts of a part.
        public init(
            app: String,
            campaignID: String,
            provider: ProviderName,
            environment: PushEnvironment?,
            urgency: Urgency,
            pushType: PushType,
            priority: UInt8,
            expiresAt: Timestamp,
            dropIfOffline: Bool,
            collapseID: String,
            maxAttempts: UInt32,
            dropUnknown: Bool,
            payload: [UInt8],
            messageIDAt: UInt32? = nil,
            personal: PersonalContent = PersonalContent(),
            traceParent: String = ""
        ) {
            self.app = app
            self.campaignID = campaignID
            self.provider = provider
            self.environment = environment
            self.urgency = urgency
            self.pushType = pushType
            self.priority = priority
            self.expiresAt = expiresAt
            self.dropIfOffline = dropIfOffline
            self.collapseID = collapseID
            self.maxAttempts = maxAttempts
            self.dropUnknown = dropUnknown
            self.payload = payload
            self.messageIDAt = messageIDAt
            self.personal = personal
            self.traceParent = traceParent
        }
    }

    /// A shard of the devices given; `positions` is empty when they are the whole chunk.
    public init(
        id: ShardID,
        generation: UInt32,
        attempt: UInt32,
        facts: Facts,
        notBefore: Timestamp? = nil,
        slot: Slot? = nil,
        firstIndex: UInt32,
        positions: [UInt16],
        devices: DeviceBatch
    ) {
        self.id = id
        self.generation = generation
        self.attempt = attempt
        self.facts = facts
        self.notBefore = notBefore
        self.slot = slot
        self.firstIndex = firstIndex
        self.positions = positions
        self.devices = devices
    }

    /// The lane it travels on.
    public var lane: Lane { Lane(provider: facts.provider, urgency: facts.urgency) }

    /// The AMQP `message_id`.
    public var messageID: String { id.messageID(generation: generation) }

    /// A device's place in its chunk.
    public func chunkPosition(at position: Int) -> UInt16 {
        positions.isEmpty ? UInt16(position) : positions[position]
    }

    /// A device's index in the campaign, stable over all attempts: what ids of requests are made from.
    public func deviceIndex(at position: Int) -> UInt32 {
        firstIndex + UInt32(chunkPosition(at: position))
    }
}
