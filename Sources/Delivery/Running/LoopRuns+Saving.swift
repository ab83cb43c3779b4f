public import Campaigns

/// Progress on its way to the ledger, one save of all runs at a time.
extension LoopRuns {
    /// True if so many answers wait that they are saved before the next tick.
    ///
    /// That is half of what may be uncommitted, so that a commit is over before it holds up streams.
    public var isSaveDue: Bool {
        let toSave = unflushed - ending.values.reduce(0, +)
        return toSave >= min(Self.saveAnswers, max(1, unflushedMax / 2))
    }

    /// True while a save is on its way to the ledger: until then no other one can be made.
    public var isSaving: Bool { !saving.isEmpty }

    /// Hands out the progress of all runs that have changed; nothing while a save is in progress.
    ///
    /// Report the result by `saved` or `saveFailed`.
    public mutating func save() -> [Save] {
        guard saving.isEmpty else { return [] }
        (isSaveHurried, isSaveSynced) = (isSaveDue, false)
        for runIndex in entries.indices
        where entries[runIndex]?.run.isDirty == true && entries[runIndex]?.state != .forgotten {
            count(runIndex)
            guard let entry = entries[runIndex] else { continue }
            saving.append(Save(entry, runIndex: runIndex))
            // Devices behind its mark wait for the commit.
            if entry.run.shard.facts.policy.dropUnknown { isSaveHurried = true }
            if entry.run.hasNewMark { isSaveSynced = true }
            entries[runIndex]?.run.progressSaved()
            entries[runIndex]?.counted = 0
        }
        return saving
    }

    /// Returns true, once, if the save in progress may wait for company in the ledger and no longer should.
    public mutating func hurriesSave() -> Bool {
        guard isSaving, isSaveDue, !isSaveHurried else { return false }
        isSaveHurried = true
        return true
    }

    /// Notes that the ledger has the save, except for the shards in `fenced`, whose runs have lost their epochs.
    public mutating func saved(fenced: Set<ShardKey>) {
        for save in takeSaving() {
            guard isHere(save), let entry = entries[save.runIndex] else {
                unflushed -= save.answers
                continue
            }
            if fenced.contains(save.key) {
                // The run was adopted meanwhile: the same answers are saved under its new epoch.
                if entry.run.epoch != save.epoch {
                    saveAgain(save)
                } else {
                    unflushed -= save.answers
                    stop(save.runIndex, .leaseLost)
                }
            } else {
                unflushed -= save.answers
                entries[save.runIndex]?.run.markCommitted(save.progress.started)
                if entry.run.shard.facts.policy.dropUnknown, hasWork(save.runIndex) {
                    actions.append(.ask(runIndex: save.runIndex))
                }
            }
        }
    }

    /// Notes that the ledger did not take the save: its answers count as unflushed until a later one succeeds, or the
    /// end of their run.
    public mutating func saveFailed() {
        for save in takeSaving() {
            let run = RunID(key: save.key, epoch: save.epoch)
            if isHere(save) {
                saveAgain(save)
            } else if ending[run] != nil {
                ending[run, default: 0] += save.answers
            } else {
                unflushed -= save.answers
            }
        }
    }

    private mutating func takeSaving() -> [Save] {
        defer { saving = [] }
        return saving
    }

    private func isHere(_ save: Save) -> Bool {
        guard let entry = entries[save.runIndex] else { return false }
        return entry.number == save.number && entry.state != .forgotten
    }

    private mutating func saveAgain(_ save: Save) {
        entries[save.runIndex]?.run.saveFailed(unsaved: save.answers)
        entries[save.runIndex]?.counted += save.answers
    }
}

/// Runs whose devices are spread over the shard's slot: their turns are checked several times within it.
extension LoopRuns {
    /// The shortest pause between two checks: at 1,000 a second two devices go out at each.
    public static let pacingPause = Duration.milliseconds(2)
    /// The longest pause, whatever a clock does.
    public static let pacingRest = Duration.milliseconds(100)

    /// Checks whose turn it is; returns the time until the next check, nil if no run is spread.
    public mutating func pace(now: Timestamp) -> Duration? {
        var next: Duration?
        for runIndex in entries.indices
        where entries[runIndex]?.state == .running && entries[runIndex]?.run.isPaced == true {
            var pause = Self.pacingPause
            if let instant = entries[runIndex]?.run.wake(now: now) {
                pause = .microseconds(instant - now.milliseconds * 1000)
            } else {
                ready(runIndex)
            }
            next = min(next ?? pause, pause)
        }
        return next.map { min(max($0, Self.pacingPause), Self.pacingRest) }
    }
}
