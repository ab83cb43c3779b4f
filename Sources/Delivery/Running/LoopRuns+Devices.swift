public import Campaigns

/// The reports about each device: a change in place, and the answer whether there are actions to do.
extension LoopRuns {
    /// The position of the run's next device to open a stream for; nil if there is none now: then call `ranOut`.
    public mutating func next(_ runIndex: Int, now: Timestamp) -> Int? { entries[runIndex]?.run.next(now: now) }

    /// Notes that the run has no device to open a stream for now; returns true if there are actions to do.
    @discardableResult
    public mutating func ranOut(_ runIndex: Int) -> Bool {
        // A run that is forgotten, or gone, has nothing to ask for either.
        guard let entry = entries[runIndex] else { return !actions.isEmpty }
        return noted(runIndex, entry)
    }

    /// Reports `ShardRun.accepted`; returns true if there are actions to do.
    @discardableResult
    public mutating func accepted(_ runIndex: Int, _ position: Int) -> Bool {
        let entry = entry(runIndex)
        entry.run.accepted(position)
        return noted(runIndex, entry)
    }

    /// Reports `ShardRun.ended`; a run with devices to open streams for asks.
    mutating func told(_ runIndex: Int, _ position: Int, _ verdict: Verdict, now: Timestamp) {
        let entry = entry(runIndex)
        let wasStopped = entry.run.stop != nil
        entry.run.ended(position, verdict, now: now)
        if !wasStopped, entry.run.stop != nil { actions.append(.stopped(runIndex: runIndex)) }
        noted(runIndex, entry)
        if entry.run.hasWork { actions.append(.ask(runIndex: runIndex)) }
    }

    /// Reports `ShardRun.unanswered`.
    mutating func unanswered(_ runIndex: Int, _ position: Int, reason: String, now: Timestamp) {
        let entry = entry(runIndex)
        entry.run.unanswered(position, reason: reason, now: now)
        noted(runIndex, entry)
    }

    /// Reports `ShardRun.leftOut`; call `ranOut` after the last of them.
    public mutating func leftOut(_ runIndex: Int, _ position: Int, _ end: LeftOut) {
        entries[runIndex]?.run.leftOut(position, end)
    }

    /// Leaves out all waiting devices of the run: see `ShardRun.leftOut`.
    public mutating func leaveOut(_ runIndex: Int, _ end: LeftOut, now: Timestamp) {
        while let position = next(runIndex, now: now) { leftOut(runIndex, position, end) }
        ranOut(runIndex)
    }

    /// Puts back all waiting devices of the run: see `ShardRun.putBack`.
    public mutating func putBack(_ runIndex: Int, reason: String, charged: Bool, now: Timestamp) {
        while let position = next(runIndex, now: now) {
            entries[runIndex]?.run.putBack(position, reason: reason, charged: charged, now: now)
        }
        ranOut(runIndex)
    }

    /// Reports `ShardRun.proved`; a run with devices to open streams for asks.
    mutating func proved(_ runIndex: Int) {
        guard let entry = entries[runIndex] else { return }
        let wasStopped = entry.run.stop != nil
        entry.run.proved()
        if !wasStopped, entry.run.stop != nil { actions.append(.stopped(runIndex: runIndex)) }
        noted(runIndex, entry)
        if hasWork(runIndex) { actions.append(.ask(runIndex: runIndex)) }
    }

    /// Reports `ShardRun.contentRefused`; call it after `ended`.
    mutating func contentRefused(_ runIndex: Int) -> Bool {
        guard entries[runIndex]?.run.contentRefused() == true else { return false }
        actions.append(.stopped(runIndex: runIndex))
        tellIfOver(runIndex)
        return true
    }

    /// Returns true if the coordinator is to hear that the provider refuses the app's credentials; once for each run.
    public mutating func credentialsRefused(_ runIndex: Int) -> Bool {
        guard entries[runIndex]?.isRefusalTold == false else { return false }
        entries[runIndex]?.isRefusalTold = true
        return true
    }

    /// A request as evidence for the meaning of faults; `mark` is the mark that it carries.
    func request(_ runIndex: Int, mark: UInt16) -> EndpointFaults.Request {
        EndpointFaults.Request(
            mark: mark,
            attempt: entries[runIndex]?.run.shard.attempt ?? 1,
            isProving: isProving(runIndex),
            isStopped: isStopped(runIndex)
        )
    }

    private func entry(_ runIndex: Int) -> Entry {
        guard let entry = entries[runIndex] else { preconditionFailure("the end of a stream of no run") }
        return entry
    }

    @discardableResult
    private mutating func noted(_ runIndex: Int, _ entry: Entry) -> Bool {
        if entry.state == .forgotten {
            freeIfEnded(runIndex)
        } else {
            unflushed += entry.count()
            if entry.run.isOver { tellIfOver(runIndex) }
        }
        return !actions.isEmpty
    }
}

/// The questions that others ask.
extension LoopRuns {
    /// True if there are no runs but forgotten ones.
    public var isEmpty: Bool { runIndexes.isEmpty }

    /// The number of runs that are not forgotten.
    public var runCount: Int { runIndexes.count }

    /// The index of a shard's run.
    public func runIndex(of key: ShardKey) -> Int? { runIndexes[key] }

    /// The indices of runs that are not forgotten, in order.
    public var sendingIndexes: [Int] {
        entries.indices.filter { runIndex in entries[runIndex].map { $0.state != .forgotten } ?? false }
    }

    /// The indices of all runs, in order.
    public var takenIndexes: [Int] { entries.indices.filter { entries[$0] != nil } }

    /// The shard of the run at an index; nil if there is no run.
    public func shard(_ runIndex: Int) -> Shard? {
        entries.indices.contains(runIndex) ? entries[runIndex]?.run.shard : nil
    }

    /// The epoch of the run at an index.
    public func epoch(_ runIndex: Int) -> UInt32? { entries[runIndex]?.run.epoch }

    /// Returns true if a device of the run may still wait for a stream.
    public func hasWork(_ runIndex: Int) -> Bool { entries[runIndex]?.run.hasWork ?? false }

    /// The reason why the run opens no more streams; nil while it continues.
    public func stop(of runIndex: Int) -> ShardRun.Stop? { entries[runIndex]?.run.stop }

    /// Returns true if the run opens no more streams.
    public func isStopped(_ runIndex: Int) -> Bool { entries[runIndex]?.run.stop != nil }

    /// Returns true if the run is a breaker's probe.
    public func isProbe(_ runIndex: Int) -> Bool { entries[runIndex]?.run.isProbe ?? false }

    /// Returns true if the next fault of the run decides that the provider is no better.
    public func isProving(_ runIndex: Int) -> Bool { entries[runIndex]?.run.isProving ?? false }

    /// The attempt of the run's shard.
    public func attempt(_ runIndex: Int) -> UInt32 { entries[runIndex]?.run.shard.attempt ?? 1 }

    /// Returns those of these shards whose runs are here and for which a newer campaign need not wait, with their
    /// epochs.
    ///
    /// These are the runs that open no more streams and whose streams are answered, or were still open
    /// `Supersession.answersAwaited` after the first call that met them stopped.
    public func stopped(_ keys: [ShardKey], now: MonotonicInstant) -> [(key: ShardKey, epoch: UInt32)] {
        keys.compactMap { key in
            guard let entry = runIndexes[key].flatMap({ entries[$0] }), entry.run.stop != nil else { return nil }
            let since = entry.answersAwaitedSince ?? now
            entry.answersAwaitedSince = since
            guard entry.run.inFlight == 0 || now.since(since) >= Supersession.answersAwaited else { return nil }
            return (key, entry.run.epoch)
        }
    }
}
