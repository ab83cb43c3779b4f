public import Campaigns

/// The runs of one sender loop: which slot each has, what of it the ledger has, and what the desk hears of it.
///
/// Confined to its loop, and not to be copied; the clock is handed in. What is told of each device changes its run in
/// place and says only whether there is anything to do; that is appended to `actions`, which the driver takes and does in
/// their order. A run keeps its slot until its last stream has ended, so that what a stream carries always means the same
/// run.
public struct LoopRuns {
    /// Progress is handed to the ledger at once when so many answers wait for it (design, section 7).
    public static let saveAnswers = 2_000

    /// What is to be done, oldest first.
    public internal(set) var actions: [Action] = []
    /// Answers that the ledger does not have yet.
    public internal(set) var unflushed = 0
    /// Answers that may be uncommitted before no stream is opened.
    public private(set) var unflushedMax: Int
    /// The same in this turn: none without the lease, or without knowing what became of the campaigns.
    private var openMax = 0

    /// Runs by their slots; nil where the next one may begin.
    var places: [Place?] = []
    private var freeSlots: [Int] = []
    /// Runs that are not forgotten.
    var slots: [ShardKey: Int] = [:]
    /// The progress that is on its way to the ledger, one save at a time.
    var saving: [Save] = []
    private var begun: UInt64 = 0

    /// A run with what is kept of it beside its devices.
    ///
    /// A class, because a device changes it in place then: as an element of an array of optional structs it is moved out
    /// and in again, 200 ns each time.
    final class Place {
        var run: ShardRun
        var state = State.running
        /// How many of its unsaved answers are counted as unflushed.
        var counted = 0
        /// Tells the runs of one slot apart.
        let number: UInt64
        /// Whether the desk has heard that the provider refuses the app's credentials.
        var isRefusalTold = false

        init(run: ShardRun, number: UInt64) {
            self.run = run
            self.number = number
        }

        /// How many more answers are to be saved since the last call.
        func count() -> Int {
            let change = run.unsaved - counted
            counted = run.unsaved
            return change
        }
    }

    /// What the desk knows of a run.
    enum State: Equatable, Sendable {
        /// It sends or waits for its answers. Then `told`, or `forgotten`.
        case running
        /// It is over, and the desk was told. Then `running`, when it is adopted, or `forgotten`, or its place is free.
        case told
        /// Another run of its shard begins: nobody waits for it but its open streams. Then its place is free.
        case forgotten
    }

    /// No run; `unflushedMax`: answers that may be uncommitted before no stream is opened.
    public init(unflushedMax: Int) {
        self.unflushedMax = unflushedMax
    }

    /// Takes all actions, oldest first; what the buffer had is dropped, its memory is used for the next ones.
    public mutating func take(_ buffer: inout [Action]) {
        buffer.removeAll(keepingCapacity: true)
        swap(&buffer, &actions)
    }

    // MARK: - The turn

    /// A turn begins: streams may be opened until the lease ends, and while what is known of the campaigns is fresh.
    public mutating func turnBegan(
        at now: MonotonicInstant,
        leaseUntil: MonotonicInstant,
        knownUntil: MonotonicInstant
    ) {
        openMax = now < leaseUntil && now < knownUntil ? unflushedMax : 0
    }

    /// Whether streams may be opened in this turn: answers that are not committed are what a crash repeats, besides the
    /// streams that were in flight when they became too many.
    public var mayOpen: Bool { unflushed < openMax }

    /// Another bound of uncommitted answers from the next turn on; streams that are open stay open.
    public mutating func limitUnflushed(to answers: Int) {
        unflushedMax = answers
    }

    // MARK: - The desk's orders

    /// Lets go of a shard's run of an older epoch, which nobody waits for and whose writes are refused.
    ///
    /// Its streams may still be open, when the broker or another worker was faster than the provider.
    public mutating func forget(_ key: ShardKey) {
        guard let slot = slots.removeValue(forKey: key) else { return }
        places[slot]?.run.requestStop(.leaseLost)
        places[slot]?.state = .forgotten
        dropCount(slot)
        actions.append(.stopped(slot: slot))
        freeIfEnded(slot)
    }

    /// A run begins, and its shard has no other (`forget`); returns its slot.
    ///
    /// Say `ready` when its connections are known.
    public mutating func begin(_ run: ShardRun) -> Int {
        let key = run.shard.id.key
        precondition(slots[key] == nil, "\(key) has a run")
        let slot = freeSlots.popLast() ?? places.count
        begun += 1
        let place = Place(run: run, number: begun)
        if slot == places.count { places.append(place) } else { places[slot] = place }
        slots[key] = slot
        count(slot)
        return slot
    }

    /// A run has connections, or will have none: it sends what it has.
    public mutating func ready(_ slot: Int) {
        if hasWork(slot) { actions.append(.ask(slot: slot)) }
        tellIfOver(slot)
    }

    /// Opens no more streams for a shard.
    public mutating func stop(_ key: ShardKey, _ reason: ShardRun.Stop) {
        if let slot = slots[key] { stop(slot, reason) }
    }

    /// Opens no more streams for the run of a slot.
    public mutating func stop(_ slot: Int, _ reason: ShardRun.Stop) {
        guard places[slot] != nil else { return }
        places[slot]?.run.requestStop(reason)
        actions.append(.stopped(slot: slot))
        tellIfOver(slot)
    }

    /// The app's breaker is open: its runs are set aside, but for the probe.
    public mutating func setAside(app: String, provider: ProviderName) {
        for slot in places.indices where isSending(slot, for: app, provider) { stop(slot, .setAside(.breaker)) }
    }

    private func isSending(_ slot: Int, for app: String, _ provider: ProviderName) -> Bool {
        guard let place = places[slot], place.state != .forgotten, !place.run.isProbe else { return false }
        return place.run.shard.facts.app == app && place.run.shard.facts.provider == provider
    }

    /// The run goes on under a new epoch.
    public mutating func adopted(_ key: ShardKey, epoch: UInt32, isLeaseLost: Bool) {
        guard let slot = slots[key] else { return }
        places[slot]?.state = .running
        places[slot]?.run.adopted(epoch: epoch, isLeaseLost: isLeaseLost)
        ready(slot)
    }

    /// Takes out a run that is over, with how it ended; nil when it is not over any more.
    public mutating func takeOver(_ key: ShardKey) -> Finished? {
        guard let slot = slots[key], let place = places[slot], place.run.isOver else { return nil }
        slots[key] = nil
        free(slot)
        let run = place.run
        return Finished(end: run.finish(), shard: run.shard, epoch: run.epoch, probe: run.probeResult)
    }

    // MARK: - What becomes of a run

    /// Tells the desk of a run that is over, once.
    mutating func tellIfOver(_ slot: Int) {
        guard places[slot]?.state == .running, places[slot]?.run.isOver == true,
            let key = places[slot]?.run.shard.id.key
        else { return }
        places[slot]?.state = .told
        actions.append(.tellOver(key))
    }

    /// Gives the place of a forgotten run to others when its last stream has ended.
    mutating func freeIfEnded(_ slot: Int) {
        guard places[slot]?.state == .forgotten, places[slot]?.run.inFlight == 0 else { return }
        free(slot)
    }

    private mutating func free(_ slot: Int) {
        dropCount(slot)
        actions.append(.freed(slot: slot, wasProbe: places[slot]?.run.isProbe ?? false))
        places[slot] = nil
        freeSlots.append(slot)
    }

    /// Counts what a run has to save since it was last counted.
    ///
    /// By the run's own number: a stream that was refused leaves nothing to save, a device that is too late does without
    /// a stream. What is counted and never saved would stop this loop for good.
    mutating func count(_ slot: Int) {
        guard let change = places[slot]?.count() else { return }
        unflushed += change
    }

    private mutating func dropCount(_ slot: Int) {
        unflushed -= places[slot]?.counted ?? 0
        places[slot]?.counted = 0
    }
}
