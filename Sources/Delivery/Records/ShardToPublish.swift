public import Campaigns

/// Everything that a shard's message is made of, as the ledger has it: what the planner and the sweeper publish.
public struct ShardToPublish: Sendable, Equatable {
    /// The row.
    public var record: ShardRecord
    /// What its devices' requests share.
    public var facts: Shard.Facts
    /// The index in the list of the chunk's first device.
    public var firstIndex: UInt32
    /// The devices as encoded columns.
    public var devices: [UInt8]

    /// A shard with what its message is made of.
    public init(record: ShardRecord, facts: Shard.Facts, firstIndex: UInt32, devices: [UInt8]) {
        self.record = record
        self.facts = facts
        self.firstIndex = firstIndex
        self.devices = devices
    }

    /// Where it goes.
    public var lane: Lane { Lane(provider: facts.provider, urgency: facts.urgency) }

    /// The AMQP `message_id`.
    public var messageID: String { record.id.messageID(generation: record.generation) }

    /// The message body; the same row gives the same bytes at any time.
    public func body() throws(ShardError) -> [UInt8] {
        try Shard.encode(envelope(DeviceBatch()), devices: devices)
    }

    /// The shard itself: for a sender in the same process.
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
