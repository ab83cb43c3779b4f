public import Campaigns

/// The runs of one sender loop: each run's index, its progress in the ledger, and the reports about it to the
/// coordinator.
///
/// Confined to its loop, and not to be copied; the caller passes the time. A report about a device changes its run in
/// place and returns only whether there are actions to do. Those are appended to `actions`, which the driver takes and
/// does in order. A run keeps its index until its last stream has ended, so that a stream's index always means the same
/// run.
public struct LoopRuns {
    /// The largest number of waiting answers at which progress is handed to the ledger at once (design, section 7).
    public static let saveAnswers = 2_000

    /// The actions to do, oldest first.
    public internal(set) var actions: [Action] = []
    /// The number of answers that the ledger does not have yet.
    public internal(set) var unflushed = 0
    /// The number of uncommitted answers at which no more streams are opened.
    public private(set) var unflushedMax: Int
    /// The same limit in this loop tick: 0 without the lease, or without fresh knowledge of the campaigns.
    private var openMax = 0

    /// The runs by index; nil where the next one may begin.
    var entries: [Entry?] = []
    private var freeIndexes: [Int] = []
    /// The indices of the runs that are not forgotten.
    var runIndexes: [ShardKey: Int] = [:]
    /// The progress that is on its way to the ledger, one save at a time.
    var saving: [Save] = []
    /// The answers of the runs whose end is on its way to the ledger.
    var ending: [RunID: Int] = [:]
    /// True if that is to be committed at once: streams wait for it, or soon will.
    public internal(set) var isSaveHurried = false
    /// True if that has to survive a power loss: streams of "at most once" are opened behind its marks.
    public internal(set) var isSaveSynced = false
    private var begun: UInt64 = 0

    /// A run with its state besides its devices.
    ///
    /// A class, so that a device changes it in place. An element of an array of optional structs is moved out and in
    /// again, 200 ns each time.
    final class Entry {
        var run: ShardRun
        var state = State.running
        /// The number of its unsaved answers that are counted as unflushed.
        var counted = 0
        /// The number that tells the runs of one index apart.
        let number: UInt64
        /// True once the coordinator has heard that the provider refuses the app's credentials.
        var isRefusalTold = false
        /// The instant from which on a newer campaign waits for its answers.
        var answersAwaitedSince: MonotonicInstant?

        init(run: ShardRun, number: UInt64) {
            self.run = run
            self.number = number
        }

        /// Returns the change in the number of answers to be saved since the last call.
        func count() -> Int {
            let change = run.unsaved - counted
            counted = run.unsaved
            return change
        }
    }

    /// The coordinator's knowledge of a run.
    enum State: Equatable, Sendable {
        /// The run sends or waits for its answers. Next: `told`, or `forgotten`.
        case running
        /// The run is over, and the coordinator was told. Next: `running` if it is adopted, or `forgotten`, or its
        /// index is free.
        case told
        /// Another run of its shard begins: only its open streams still need it. Next: its index is free.
        case forgotten
    }

    /// No runs; `unflushedMax` is the number of uncommitted answers at which no more streams are opened.
    public init(unflushedMax: Int) {
        self.unflushedMax = unflushedMax
    }

    /// Moves all actions, oldest first, into the buffer; the buffer's old content is dropped and its memory reused.
    public mutating func take(_ buffer: inout [Action]) {
        buffer.removeAll(keepingCapacity: true)
        swap(&buffer, &actions)
    }

    // MARK: - The tick

    /// Begins a loop tick: streams may be opened until the lease ends, while the knowledge of the campaigns is fresh.
    public mutating func tickBegan(
        at now: MonotonicInstant,
        leaseUntil: MonotonicInstant,
        knownUntil: MonotonicInstant
    ) {
        openMax = now < leaseUntil && now < knownUntil ? unflushedMax : 0
    }

    /// True if streams may be opened in this tick.
    ///
    /// After a crash the uncommitted answers are repeated, besides the streams that were in flight when the limit was
    /// reached.
    public var mayOpen: Bool { unflushed < openMax }

    /// Sets another limit of uncommitted answers from the next tick on; open streams stay open.
    public mutating func limitUnflushed(to answers: Int) {
        unflushedMax = answers
    }

    // MARK: - The coordinator's orders

    /// Forgets a shard's run of an older epoch, for which nobody waits and whose writes are rejected.
    ///
    /// Its streams may still be open, if the broker or another worker was faster than the provider.
    public mutating func forget(_ key: ShardKey) {
        guard let runIndex = runIndexes.removeValue(forKey: key) else { return }
        entries[runIndex]?.run.requestStop(.leaseLost)
        entries[runIndex]?.state = .forgotten
        dropCount(runIndex)
        actions.append(.stopped(runIndex: runIndex))
        freeIfEnded(runIndex)
    }

    /// Begins a run whose shard has no other run (`forget`); returns its index.
    ///
    /// Call `ready` once its connections are known.
    public mutating func begin(_ run: ShardRun) -> Int {
        let key = run.shard.id.key
        precondition(runIndexes[key] == nil, "\(key) has a run")
        let runIndex = freeIndexes.popLast() ?? entries.count
        begun += 1
        let entry = Entry(run: run, number: begun)
        if runIndex == entries.count { entries.append(entry) } else { entries[runIndex] = entry }
        runIndexes[key] = runIndex
        count(runIndex)
        return runIndex
    }

    /// Notes that a run has connections, or will have none: it sends what it has.
    public mutating func ready(_ runIndex: Int) {
        if hasWork(runIndex) { actions.append(.ask(runIndex: runIndex)) }
        tellIfOver(runIndex)
    }

    /// Opens no more streams for a shard.
    public mutating func stop(_ key: ShardKey, _ reason: ShardRun.Stop) {
        if let runIndex = runIndexes[key] { stop(runIndex, reason) }
    }

    /// Opens no more streams for the run at an index.
    public mutating func stop(_ runIndex: Int, _ reason: ShardRun.Stop) {
        guard entries[runIndex] != nil else { return }
        entries[runIndex]?.run.requestStop(reason)
        actions.append(.stopped(runIndex: runIndex))
        tellIfOver(runIndex)
    }

    /// Sets aside the app's runs, except for the probe, because the app's breaker is open.
    public mutating func setAside(app: String, provider: ProviderName) {
        for runIndex in entries.indices where isSending(runIndex, for: app, provider) {
            stop(runIndex, .setAside(.breaker))
        }
    }

    private func isSending(_ runIndex: Int, for app: String, _ provider: ProviderName) -> Bool {
        guard let entry = entries[runIndex], entry.state != .forgotten, !entry.run.isProbe else { return false }
        return entry.run.shard.facts.app == app && entry.run.shard.facts.provider == provider
    }

    /// Notes that the run continues under a new epoch.
    public mutating func adopted(_ key: ShardKey, epoch: UInt32, isLeaseLost: Bool) {
        guard let runIndex = runIndexes[key] else { return }
        entries[runIndex]?.state = .running
        entries[runIndex]?.run.adopted(epoch: epoch, isLeaseLost: isLeaseLost)
        ready(runIndex)
    }

    /// Takes out a run that is over, with its end; returns nil if it is no longer over.
    ///
    /// Its answers count as unflushed until `endCommitted`.
    public mutating func takeOver(_ key: ShardKey) -> Finished? {
        guard let runIndex = runIndexes[key], let entry = entries[runIndex], entry.run.isOver else { return nil }
        runIndexes[key] = nil
        let run = entry.run
        count(runIndex)
        ending[RunID(key: key, epoch: run.epoch)] = entry.counted
        entry.counted = 0
        free(runIndex)
        return Finished(end: run.finish(), shard: run.shard, epoch: run.epoch, probe: run.probeResult)
    }

    /// Notes that the ledger has the end of a run that was taken over, or will never take it.
    public mutating func endCommitted(_ key: ShardKey, epoch: UInt32) {
        unflushed -= ending.removeValue(forKey: RunID(key: key, epoch: epoch)) ?? 0
    }

    // MARK: - The fate of a run

    /// Tells the coordinator once of a run that is over.
    mutating func tellIfOver(_ runIndex: Int) {
        guard entries[runIndex]?.state == .running, entries[runIndex]?.run.isOver == true,
            let key = entries[runIndex]?.run.shard.id.key
        else { return }
        entries[runIndex]?.state = .told
        actions.append(.tellOver(key))
    }

    /// Frees the index of a forgotten run once its last stream has ended.
    mutating func freeIfEnded(_ runIndex: Int) {
        guard entries[runIndex]?.state == .forgotten, entries[runIndex]?.run.inFlight == 0 else { return }
        free(runIndex)
    }

    private mutating func free(_ runIndex: Int) {
        dropCount(runIndex)
        actions.append(.freed(runIndex: runIndex, wasProbe: entries[runIndex]?.run.isProbe ?? false))
        entries[runIndex] = nil
        freeIndexes.append(runIndex)
    }

    /// Counts the answers that a run has to save since it was last counted.
    ///
    /// The count is the run's own, because a refused stream leaves nothing to save, and an expired device needs no
    /// stream. An answer that is counted and never saved would stop this loop for good.
    mutating func count(_ runIndex: Int) {
        guard let change = entries[runIndex]?.count() else { return }
        unflushed += change
    }

    private mutating func dropCount(_ runIndex: Int) {
        unflushed -= entries[runIndex]?.counted ?? 0
        entries[runIndex]?.counted = 0
    }
}
