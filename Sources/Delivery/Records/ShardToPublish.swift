public import Campaigns

/// All parts of a shard's message, as the ledger has them, for the planner and the sweeper to publish.
public struct ShardToPublish: Sendable, Equatable {
    /// The row.
    public var record: ShardRecord
    /// The facts that its devices' requests share.
    public var facts: Shard.Facts
    /// The index in the list of the chunk's first device.
    public var firstIndex: UInt32
    /// The devices as encoded columns.
    public var devices: [UInt8]

    /// A shard with the parts of its message.
    public init(record: ShardRecord, facts: Shard.Facts, firstIndex: UInt32, devices: [UInt8]) {
        self.record = record
        self.facts = facts
        self.firstIndex = firstIndex
        self.devices = devices
    }

    /// The lane of the message.
    public var lane: Lane { Lane(provider: facts.provider, urgency: facts.policy.urgency) }

    /// The AMQP `message_id`.
    public var messageID: String { record.id.messageID(generation: record.generation) }

    /// The message body; the same row gives the same bytes at any time.
    public func body() throws(ShardError) -> [UInt8] {
        try Shard.encode(envelope(DeviceBatch()), devices: devices)
    }

    /// The shard itself, for a sender in the same process.
    public func shard() throws(ShardError) -> Shard {
        envelope(try DeviceBatch(encoded: devices))
    }

    private func envelope(_ batch: DeviceBatch) -> Shard {
        Shard(
            id: record.id,
            generation: record.generation,
            attempt: record.attempt,
            facts: facts,
            notBefore: record.notBefore,
            slot: record.slot,
            firstIndex: firstIndex,
            positions: record.positions,
            devices: batch
        )
    }
}
