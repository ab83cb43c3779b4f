public import Campaigns

/// Decisions that the ledger asks for within its transactions and carries out; no I/O.
extension CampaignFacts {
    /// Returns true if shards may be cut and published now.
    public func mayPlan(at now: Timestamp) -> Bool {
        isReleased && mayRelease(at: now)
    }

    /// Returns true if its audience may be materialised now.
    ///
    /// That is possible during a pause too, so that a person decides on exact numbers.
    public func mayFreeze(at now: Timestamp) -> Bool {
        (stage == .planning || isFlowing) && ending(at: now) == nil
    }

    /// Returns true if it may supersede older campaigns: nothing but those keeps it from being planned.
    public func mayRelease(at now: Timestamp) -> Bool {
        stage.isLive && !isRepeated && stage != .planning && isDue(at: now) && ending(at: now) == nil
            && asideReason == nil
    }

    /// The stage of the campaign once no device is pending.
    ///
    /// A cancelled or failed campaign keeps its stage.
    public var stageWhenDone: CampaignStage {
        stage.isLive ? .completed : stage
    }
}

extension AsideReason {
    /// The state of a shard's row that is set aside for this reason: a hand-over is published again at once.
    public var rowState: ShardState {
        switch self {
        case .handOver: .unpublished
        case .paused, .suspended, .held, .credentials, .app, .breaker, .wrongEnvironment, .content, .guard, .suspect,
            .rate, .quiet, .atMost:
            .aside
        }
    }
}

extension Settlement {
    /// The settlement if nothing more may be sent: devices that were to be sent to again end with the outcome.
    public func endingRetries(_ outcome: Outcome, attempt: UInt32) -> Settlement? {
        guard !retries.isEmpty || !held.isEmpty else { return self }
        var progress = progress
        progress.endCooldown(outcome)
        return Settlement.make(progress: progress, attempt: attempt)
    }

    /// The settlement if the guard has no objection: held devices end with the outcome.
    public func endingHeld(_ outcome: Outcome, attempt: UInt32) -> Settlement? {
        guard !held.isEmpty else { return self }
        var progress = progress
        progress.endHeld(outcome)
        return Settlement.make(progress: progress, attempt: attempt)
    }

    /// Returns true if the law of section 7 holds for a shard of this many devices.
    public func isLawful(count: Int) -> Bool {
        progress.count == count && counts.total + held.count + retries.reduce(0) { $0 + $1.positions.count } == count
    }
}

extension ShardRecord {
    /// The settlement of the whole row when its campaign is over: every device without an outcome gets this one.
    ///
    /// `reason` is counted for each of them; nil if the outcome says everything.
    public func ended(_ outcome: Outcome, reason: String? = nil) -> Settlement? {
        var progress = progress
        progress.endCooldown(outcome, reason: reason)
        return Settlement.make(progress: progress, attempt: attempt)
    }

    /// The row for the devices that the guard holds back: it waits, and is settled without a message, or sent.
    ///
    /// - Parameters:
    ///   - held: The devices' positions in this shard.
    ///   - child: The number of the new row.
    ///   - reason: `guard`, or the guard's decision meanwhile.
    ///   - notes: This shard's notes about them; their requests are counted here.
    public func heldChild(
        _ held: [UInt16],
        number child: UInt32,
        reason: AsideReason,
        notes: [UInt16: Progress.Note]
    )
        -> ShardRecord
    {
        var row = self
        row.id.key.child = child
        row.id.path = id.heldPath
        (row.state, row.aside) = (.aside, reason)
        (row.generation, row.epoch, row.owner) = (1, 0, 0)
        (row.rung, row.notBefore, row.dueAt, row.slot) = (nil, nil, nil, nil)
        row.positions = held.map { positions.isEmpty ? $0 : positions[Int($0)] }
        row.count = held.count
        row.progress = Progress(count: held.count)
        for (index, position) in held.enumerated() {
            row.progress.hold(index, Progress.Note(reason: notes[position]?.reason, requests: 0))
        }
        return row
    }

    /// The row of a retry shard of this one, as the settlement asks for.
    ///
    /// - Parameters:
    ///   - retry: The devices, by their positions in this shard.
    ///   - child: The number of the new row.
    ///   - now: The instant of the settlement, from which the rung counts.
    public func child(_ retry: Settlement.Retry, number child: UInt32, now: Timestamp) -> ShardRecord {
        let positions = self.positions
        let chunkPositions = retry.positions.map { positions.isEmpty ? $0 : positions[Int($0)] }
        var key = id.key
        key.child = child
        return ShardRecord(
            id: ShardID(key: key, path: id.childPath(rung: retry.rung, attempt: retry.attempt)),
            state: .unpublished,
            generation: 1,
            epoch: 0,
            owner: 0,
            attempt: retry.attempt,
            rung: retry.rung,
            notBefore: retry.notBefore,
            dueAt: now.advanced(by: retry.rung.delay),
            chunk: chunk,
            positions: chunkPositions,
            count: chunkPositions.count,
            progress: Progress(count: chunkPositions.count),
            aside: nil
        ).waitingForTurn(slot != nil)
    }

    /// Makes a retry wait in the ledger under a rate, where it takes a turn instead of a rung once due (design, section
    /// 10).
    private func waitingForTurn(_ isPaced: Bool) -> ShardRecord {
        guard isPaced else { return self }
        var row = self
        (row.state, row.aside) = (.aside, .rate)
        return row
    }

    /// The shard of a retry row, made from its parent without another query of the ledger.
    ///
    /// The ledger makes the same shard of the row. Traps if the row is not a child of that shard.
    public func shard(from parent: Shard) -> Shard {
        precondition(parent.id.key.ordinal == id.key.ordinal, "\(id) is no child of \(parent.id)")
        let indexes = positions.map { position in
            guard !parent.positions.isEmpty else { return position }
            guard let index = parent.positions.firstIndex(of: position) else {
                preconditionFailure("\(id) has a device that \(parent.id) has not")
            }
            return UInt16(index)
        }
        var shard = Shard(
            id: id,
            generation: generation,
            attempt: attempt,
            facts: parent.facts,
            notBefore: notBefore,
            slot: slot,
            firstIndex: parent.firstIndex,
            positions: positions,
            devices: parent.devices.subset(indexes)
        )
        shard.laterFields = parent.laterFields
        return shard
    }
}
