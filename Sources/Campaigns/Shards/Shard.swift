/// Up to 500 devices of one part with everything that their requests need: the unit of delivery to a worker.
///
/// A shard is a function of the ledger: campaign row, list version, positions in a chunk. Encoding it twice gives the
/// same bytes, so bodies are never stored.
public struct Shard: Equatable, Sendable {
    /// The newest major version, that of a message with templates; a message with an unknown one is parked.
    public static let version: UInt32 = 2
    /// The major version of a message without templates, which older workers can send too.
    public static let plainVersion: UInt32 = 1
    /// The maximum number of devices in a shard.
    public static let devicesMax = 500
    /// The maximum size of the device columns in a shard, in bytes.
    public static let bytesMax = 256 * 1024

    /// The shard's id.
    public var id: ShardID
    /// The generation, raised in the ledger before the shard is deliberately published again.
    public var generation: UInt32
    /// The number of the attempt at its devices, from 1.
    public var attempt: UInt32
    /// The facts that all shards of the part share.
    public var facts: Facts
    /// The earliest instant of a retry whose Retry-After exceeds the ladder.
    public var notBefore: Timestamp?
    /// The interval over which its requests are spread; nil: as fast as the provider accepts them.
    public var slot: Slot?
    /// The index of the chunk's first device in the list.
    public var firstIndex: UInt32
    /// The devices' positions in the chunk; empty if the shard is the whole chunk.
    public var positions: [UInt16]
    /// The devices.
    public var devices: DeviceBatch
    /// Fields of a later version, which this version passes on unchanged with the shard and its retries.
    public var laterFields: [UInt8] = []

    /// The facts that all shards of a campaign's part share.
    public struct Facts: Equatable, Sendable {
        /// The app whose credentials are used.
        public var app: String
        /// The campaign's id in its app.
        public var campaignID: String
        /// The provider.
        public var provider: ProviderName
        /// The provider's environment; nil means the app's own.
        public var environment: PushEnvironment?
        /// The job's scalars.
        public var policy: DeliveryPolicy
        /// The value of `apns-push-type`.
        public var pushType: PushType
        /// The value of `apns-priority`: 10, 5 or 1.
        public var priority: UInt8
        /// The instant after which no request is made.
        public var expiresAt: Timestamp
        /// The key by which notifications are merged on the device; at most 64 bytes.
        public var collapseID: String
        /// The payload, without the contents of `personal`.
        public var payload: [UInt8]
        /// The offset in the payload of each device's message id, see `MessageIDPlaceholder`; nil if there is none.
        public var messageIDAt: UInt32?
        /// The templates of the payload and of the collapse id.
        public var personal: PersonalContent
        /// The producer's W3C trace context; empty if there is none.
        public var traceParent: String

        /// Creates the facts of a part.
        public init(
            app: String,
            campaignID: String,
            provider: ProviderName,
            environment: PushEnvironment?,
            policy: DeliveryPolicy,
            pushType: PushType,
            priority: UInt8,
            expiresAt: Timestamp,
            collapseID: String,
            payload: [UInt8],
            messageIDAt: UInt32? = nil,
            personal: PersonalContent = PersonalContent(),
            traceParent: String = ""
        ) {
            self.app = app
            self.campaignID = campaignID
            self.provider = provider
            self.environment = environment
            self.policy = policy
            self.pushType = pushType
            self.priority = priority
            self.expiresAt = expiresAt
            self.collapseID = collapseID
            self.payload = payload
            self.messageIDAt = messageIDAt
            self.personal = personal
            self.traceParent = traceParent
        }
    }

    /// Creates a shard of the given devices; `positions` is empty if they are the whole chunk.
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

    /// The lane of its messages.
    public var lane: Lane { Lane(provider: facts.provider, urgency: facts.policy.urgency) }

    /// The AMQP `message_id`.
    public var messageID: String { id.messageID(generation: generation) }

    /// Returns a device's position in its chunk.
    public func chunkPosition(at position: Int) -> UInt16 {
        positions.isEmpty ? UInt16(position) : positions[position]
    }

    /// Returns a device's index in the campaign, which is the same in all attempts; request ids are derived from it.
    public func deviceIndex(at position: Int) -> UInt32 {
        firstIndex + UInt32(chunkPosition(at: position))
    }
}
