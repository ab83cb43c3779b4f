public import Campaigns

/// Where a shard's row stands in the ledger.
///
/// The raw value is stored.
public enum ShardState: UInt8, Sendable, CaseIterable {
    /// The row is written, its message is not confirmed: the outbox. Can become out, running, aside, settled, parked.
    case unpublished = 0
    /// The message is in a queue or on a rung. Can become running, aside, settled, parked.
    case out = 1
    /// A worker has claimed it. Can become running (taken over), aside, settled, parked.
    case running = 2
    /// Set aside until its reason ends. Can become unpublished, settled.
    case aside = 3
    /// Every device has an outcome or went to a retry shard. Final.
    case settled = 4
    /// Set aside for a person. Can become aside (replayed), unpublished (its message was lost) or settled (discarded).
    case parked = 5
}

/// What the ledger knows of a shard.
public struct ShardRecord: Sendable, Equatable {
    /// Who it is.
    public var id: ShardID
    /// Where it stands.
    public var state: ShardState
    /// Raised before the shard is published anew on purpose; messages of a lower one are superseded copies.
    public var generation: UInt32
    /// Raised by every claim; fences all writes of a run.
    public var epoch: UInt32
    /// The worker that runs it; 0 when nobody does.
    public var owner: Int64
    /// Which try at its devices it is, from 1.
    public var attempt: UInt32
    /// The rung that it waits on; nil for a first attempt.
    public var rung: Rung?
    /// Not before this instant.
    public var notBefore: Timestamp?
    /// When it is due back from its rung.
    public var dueAt: Timestamp?
    /// The list's chunk.
    public var chunk: UInt32
    /// The devices' positions in the chunk; empty: all of it.
    public var positions: [UInt16]
    /// How many devices.
    public var count: Int
    /// What is known of its devices.
    public var progress: Progress
    /// Why it is aside.
    public var aside: AsideReason?
    /// When its requests go out, under a rate; kept until it gets another.
    public var slot: Slot?

    /// A row.
    public init(
        id: ShardID,
        state: ShardState,
        generation: UInt32,
        epoch: UInt32,
        owner: Int64,
        attempt: UInt32,
        rung: Rung?,
        notBefore: Timestamp?,
        dueAt: Timestamp?,
        chunk: UInt32,
        positions: [UInt16],
        count: Int,
        progress: Progress,
        aside: AsideReason?,
        slot: Slot? = nil
    ) {
        self.id = id
        self.state = state
        self.generation = generation
        self.epoch = epoch
        self.owner = owner
        self.attempt = attempt
        self.rung = rung
        self.notBefore = notBefore
        self.dueAt = dueAt
        self.chunk = chunk
        self.positions = positions
        self.count = count
        self.progress = progress
        self.aside = aside
        self.slot = slot
    }
}
