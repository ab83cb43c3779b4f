import Campaigns
import Delivery
import PushProviders
import Seeds

/// A simulated worker's sender loop: opens streams, receives answers, saves, and reports finished runs.
///
/// The driver's state is kept by run index, as in the shipping driver; `LoopRuns` and `EndpointFaults` decide.
extension SimulatedWorker {
    // MARK: The coordinator's orders

    /// Executes the coordinator's next order.
    func obey() -> Bool {
        guard !orders.isEmpty else { return false }
        switch orders.removeFirst() {
        case .start(let start): begin(start)
        case .adopt(let key, let epoch, let isLeaseLost, _):
            world.adoptions += 1
            runs.adopted(key, epoch: epoch, isLeaseLost: isLeaseLost)
        case .stop(let key, let reason, _): runs.stop(key, reason)
        case .endCommitted(let key, let epoch, _): runs.endCommitted(key, epoch: epoch)
        case .takeOver(let key, _): notes.append(.took(key, runs.takeOver(key)))
        default: preconditionFailure("no order of a loop")
        }
        follow()
        return true
    }

    private func begin(_ start: WorkerShards.Start) {
        let key = start.shard.id.key
        runs.forget(key)
        follow()
        let run = ShardRun(
            shard: start.shard,
            epoch: start.record.epoch,
            progress: start.record.progress,
            slot: start.shard.slot,
            lateness: SimulatedRate.lateness,
            isProbe: start.isProbe,
            isUnderRate: start.isPaced,
            now: world.now
        )
        let runIndex = runs.begin(run)
        let share = world.ledger.share(key).rawValue
        entries[runIndex] = Entry(share: share)
        faults[share].runBegan(isProbe: start.isProbe, isDoubted: false, &runs, now: world.now)
        runs.ready(runIndex)
    }

    // MARK: The machine's actions

    /// Executes the actions of the runs' machine.
    func follow() {
        while !runs.actions.isEmpty {
            runs.take(&steps)
            for step in steps {
                switch step {
                case .ask(let runIndex): entries[runIndex]?.isAsking = true
                case .stopped(let runIndex):
                    guard let share = entries[runIndex]?.share else { continue }
                    faults[share].runStopped(runIndex, &runs, now: world.now)
                case .tellOver(let key): notes.append(.over(key))
                case .freed(let runIndex, let wasProbe):
                    if wasProbe, let share = entries[runIndex]?.share { faults[share].probeEnded() }
                    entries[runIndex] = nil
                }
            }
        }
    }

    // MARK: Streams

    func openStream() -> Bool {
        beginTurn()
        if runs.pace(now: world.now) != nil { follow() }
        guard runs.mayOpen, let runIndex = pick(where: \.isAsking), let share = entries[runIndex]?.share,
            let shard = runs.shard(runIndex)
        else { return false }
        for _ in 0..<1 + world.random.below(SimulatedLedger.devicesPerShard) where runs.mayOpen {
            guard let position = runs.next(runIndex, now: world.now) else {
                entries[runIndex]?.isAsking = false
                runs.ranOut(runIndex)
                break
            }
            if world.isLeftOut(shard, position) {
                runs.leftOut(runIndex, position, LeftOut(.skipped, reason: "Aborted"))
                continue
            }
            let mark = faults[share].isSampling ? faults[share].mark(attempt: shard.attempt) : 0
            entries[runIndex]?.streams.append((position, mark))
            world.streamOpened(
                shard,
                epoch: runs.epoch(runIndex) ?? 0,
                position: position,
                isProbe: runs.isProbe(runIndex),
                isLeaseLost: machine.isLeaseLost(shard.id.key)
            )
        }
        follow()
        return true
    }

    /// Begins a turn: one reading of the clock, the lease, and what is known of the campaigns.
    private func beginTurn() {
        let (never, always) = (MonotonicInstant(nanoseconds: 0), instant.advanced(by: .seconds(1)))
        let knownUntil = instant.advanced(by: polledAt.advanced(by: Supersession.knowledgeLasts).since(world.now))
        runs.tickBegan(
            at: instant,
            leaseUntil: isConnected || world.broken == .leaseIgnored ? always : never,
            knownUntil: world.broken == .blindnessIgnored ? always : knownUntil
        )
    }

    func endStream() -> Bool {
        guard let runIndex = pick(where: { !$0.streams.isEmpty }), let entry = entries[runIndex],
            let shard = runs.shard(runIndex)
        else { return false }
        let index = world.random.below(entry.streams.count)
        let (position, mark) = entry.streams[index]
        entries[runIndex]?.streams.remove(at: index)
        let reply = world.answer(shard, position, probe: runs.isProving(runIndex) ? runs.epoch(runIndex) : nil)
        hear(reply, EndpointFaults.Device(runIndex: runIndex, position: position), mark, entry.share)
        follow()
        return true
    }

    private func hear(
        _ reply: SimulatedProvider.Reply,
        _ device: EndpointFaults.Device,
        _ mark: UInt16,
        _ share: Int
    ) {
        let now = world.now
        switch reply {
        case .accepted:
            runs.accepted(device.runIndex, device.position)
            if faults[share].isRaised { _ = faults[share].accepted(device.runIndex, mark: mark, &runs, now: now) }
        case .refused(let answer):
            let rule = AnswerRule(for: answer.kind, firstRung: .seconds5)
            let verdict = Verdict(answer, rule: rule)
            let refusal = faults[share].refused(device, mark: mark, verdict, rule: rule, &runs, now: now)
            if let since = refusal.trip { trip(share, Breaker.Trip(answer, since: since)) }
        case .unprocessed:
            faults[share].unprocessed(device, mark: mark, &runs, now: now)
        case .silence:
            let since = faults[share].unanswered(
                device,
                mark: mark,
                reason: "Timeout",
                isDeadline: false,
                &runs,
                now: now
            )
            if let since { trip(share, Breaker.Trip(reason: "Timeout", since: since)) }
        }
    }

    private func trip(_ share: Int, _ trip: Breaker.Trip) {
        writes.append(.trip(trip))
        for runIndex in runs.sendingIndexes where entries[runIndex]?.share == share {
            runs.stop(runIndex, .setAside(.breaker))
        }
    }

    /// Decides about faults when no more answers can come that explain them.
    func decideIfDrained() {
        for share in faults.indices where faults[share].hasPutOff {
            let isBusy = entries.values.contains { $0.share == share && ($0.isAsking || !$0.streams.isEmpty) }
            guard !isBusy else { continue }
            if faults[share].drained(&runs, now: world.now) {
                world.asked += 1
            } else if faults[share].hasPutOff {
                world.violation = "devices wait for what their faults mean, and no answer is due"
            }
            follow()
        }
    }

    // MARK: The tick

    func save() -> Bool {
        let saves = runs.save()
        guard !saves.isEmpty else { return false }
        writes.append(.save(saves))
        return true
    }

    private func pick(where isWanted: (Entry) -> Bool) -> Int? {
        let wanted = runs.takenIndexes.filter { entries[$0].map(isWanted) ?? false }
        return wanted.isEmpty ? nil : wanted[world.random.below(wanted.count)]
    }
}
