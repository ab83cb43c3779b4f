public import Campaigns

/// The reports about each device: a change in place, and the answer whether there are actions to do.
extension LoopRuns {
    /// The position of the run's next device to open a stream for; nil if there is none now: then call `ranOut`.
    public mutating func next(_ slot: Int, now: Timestamp) -> Int? { places[slot]?.run.next(now: now) }

    /// Notes that the run has no device to open a stream for now; returns true if there are actions to do.
    @discardableResult
    public mutating func ranOut(_ slot: Int) -> Bool {
        // A run that is forgotten, or gone, has nothing to ask for either.
        guard let place = places[slot] else { return !actions.isEmpty }
        return noted(slot, place)
    }

    /// Reports `ShardRun.accepted`; returns true if there are actions to do.
    @discardableResult
    public mutating func accepted(_ slot: Int, _ position: Int) -> Bool {
        let place = place(slot)
        place.run.accepted(position)
        return noted(slot, place)
    }

    /// Reports `ShardRun.ended`; a run with devices to open streams for asks.
    mutating func told(_ slot: Int, _ position: Int, _ verdict: Verdict, now: Timestamp) {
        let place = place(slot)
        let wasStopped = place.run.stop != nil
        place.run.ended(position, verdict, now: now)
        if !wasStopped, place.run.stop != nil { actions.append(.stopped(slot: slot)) }
        noted(slot, place)
        if place.run.hasWork { actions.append(.ask(slot: slot)) }
    }

    /// Reports `ShardRun.unanswered`.
    mutating func unanswered(_ slot: Int, _ position: Int, reason: String, now: Timestamp) {
        let place = place(slot)
        place.run.unanswered(position, reason: reason, now: now)
        noted(slot, place)
    }

    /// Reports `ShardRun.leftOut`; call `ranOut` after the last of them.
    public mutating func leftOut(_ slot: Int, _ position: Int, _ end: LeftOut) {
        places[slot]?.run.leftOut(position, end)
    }

    /// Leaves out all waiting devices of the run: see `ShardRun.leftOut`.
    public mutating func leaveOut(_ slot: Int, _ end: LeftOut, now: Timestamp) {
        while let position = next(slot, now: now) { leftOut(slot, position, end) }
        ranOut(slot)
    }

    /// Puts back all waiting devices of the run: see `ShardRun.putBack`.
    public mutating func putBack(_ slot: Int, reason: String, charged: Bool, now: Timestamp) {
        while let position = next(slot, now: now) {
            places[slot]?.run.putBack(position, reason: reason, charged: charged, now: now)
        }
        ranOut(slot)
    }

    /// Notes an answer that only a working provider gives; a run with devices to open streams for asks.
    mutating func proved(_ slot: Int) {
        places[slot]?.run.proved()
        if hasWork(slot) { actions.append(.ask(slot: slot)) }
    }

    /// Reports `ShardRun.contentRefused`; call it after `ended`.
    mutating func contentRefused(_ slot: Int) -> Bool {
        guard places[slot]?.run.contentRefused() == true else { return false }
        actions.append(.stopped(slot: slot))
        tellIfOver(slot)
        return true
    }

    /// Returns true if the coordinator is to hear that the provider refuses the app's credentials; once for each run.
    public mutating func credentialsRefused(_ slot: Int) -> Bool {
        guard places[slot]?.isRefusalTold == false else { return false }
        places[slot]?.isRefusalTold = true
        return true
    }

    /// A request as evidence for the meaning of faults; `mark` is the mark that it carries.
    func request(_ slot: Int, mark: UInt16) -> EndpointFaults.Request {
        EndpointFaults.Request(
            mark: mark,
            attempt: places[slot]?.run.shard.attempt ?? 1,
            isProving: isProving(slot),
            isStopped: isStopped(slot)
        )
    }

    private func place(_ slot: Int) -> Place {
        guard let place = places[slot] else { preconditionFailure("the end of a stream of no run") }
        return place
    }

    @discardableResult
    private mutating func noted(_ slot: Int, _ place: Place) -> Bool {
        if place.state == .forgotten {
            freeIfEnded(slot)
        } else {
            unflushed += place.count()
            if place.run.isOver { tellIfOver(slot) }
        }
        return !actions.isEmpty
    }
}

/// The questions that others ask.
extension LoopRuns {
    /// True if there are no runs but forgotten ones.
    public var isEmpty: Bool { slots.isEmpty }

    /// The number of runs that are not forgotten.
    public var runCount: Int { slots.count }

    /// The index of a shard's run.
    public func slot(of key: ShardKey) -> Int? { slots[key] }

    /// The indices of runs that are not forgotten, in order.
    public var sendingSlots: [Int] {
        places.indices.filter { slot in places[slot].map { $0.state != .forgotten } ?? false }
    }

    /// The indices of all runs, in order.
    public var takenSlots: [Int] { places.indices.filter { places[$0] != nil } }

    /// The shard of the run at an index; nil if there is no run.
    public func shard(_ slot: Int) -> Shard? { places.indices.contains(slot) ? places[slot]?.run.shard : nil }

    /// The epoch of the run at an index.
    public func epoch(_ slot: Int) -> UInt32? { places[slot]?.run.epoch }

    /// Returns true if a device of the run may still wait for a stream.
    public func hasWork(_ slot: Int) -> Bool { places[slot]?.run.hasWork ?? false }

    /// The reason why the run opens no more streams; nil while it continues.
    public func stop(of slot: Int) -> ShardRun.Stop? { places[slot]?.run.stop }

    /// Returns true if the run opens no more streams.
    public func isStopped(_ slot: Int) -> Bool { places[slot]?.run.stop != nil }

    /// Returns true if the run is a breaker's probe.
    public func isProbe(_ slot: Int) -> Bool { places[slot]?.run.isProbe ?? false }

    /// Returns true if the next fault of the run decides that the provider is no better.
    public func isProving(_ slot: Int) -> Bool { places[slot]?.run.isProving ?? false }

    /// The attempt of the run's shard.
    public func attempt(_ slot: Int) -> UInt32 { places[slot]?.run.shard.attempt ?? 1 }

    /// Returns those of these shards whose runs are here and open no more streams, with their epochs.
    public func stopped(_ keys: [ShardKey]) -> [(key: ShardKey, epoch: UInt32)] {
        keys.compactMap { key in
            guard let slot = slots[key], isStopped(slot), let epoch = epoch(slot) else { return nil }
            return (key, epoch)
        }
    }
}
