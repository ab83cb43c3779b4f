public import Campaigns

/// The state of a shard's row in the ledger.
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

/// The ledger's facts about a shard.
public struct ShardRecord: Sendable, Equatable {
    /// The shard's id.
    public var id: ShardID
    /// The row's state.
    public var state: ShardState
    /// The generation, raised before a deliberate new publish; messages of a lower one are superseded copies.
    public var generation: UInt32
    /// The epoch, raised by every claim; it fences all writes of a run.
    public var epoch: UInt32
    /// The worker that runs it; 0 for nobody.
    public var owner: Int64
    /// The number of the attempt at its devices, from 1.
    public var attempt: UInt32
    /// The rung that it waits on; nil for a first attempt.
    public var rung: Rung?
    /// The earliest instant of a request.
    public var notBefore: Timestamp?
    /// The instant at which it is due back from its rung.
    public var dueAt: Timestamp?
    /// The chunk of the list.
    public var chunk: UInt32
    /// The devices' positions in the chunk; empty means all of it.
    public var positions: [UInt16]
    /// The number of devices.
    public var count: Int
    /// The progress of its devices.
    public var progress: Progress
    /// The reason why it is aside.
    public var aside: AsideReason?
    /// The interval in which its requests go out, under a rate; kept until it gets another.
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
