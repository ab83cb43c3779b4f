import Campaigns
import Delivery
import Seeds

/// A simulated worker's sender loop: opens streams, hears their answers, saves, and says what is over.
extension SimulatedWorker {
    /// Does the desk's next order.
    func obey() -> Bool {
        guard !orders.isEmpty else { return false }
        switch orders.removeFirst() {
        case .start(let start): begin(start)
        case .adopt(let key, let epoch, let isLeaseLost, _):
            world.adoptions += 1
            boxes[key]?.isReported = false
            boxes[key]?.run.adopted(epoch: epoch, isLeaseLost: isLeaseLost)
        case .stop(let key, let reason, _): boxes[key]?.run.requestStop(reason)
        case .takeOver(let key, _): notes.append(.took(key, takeOver(key)))
        default: preconditionFailure("no order of a loop")
        }
        return true
    }

    private func begin(_ start: WorkerShards.Start) {
        let key = start.shard.id.key
        faults[share(key)].begin(isProbe: start.isProbe)
        let run = ShardRun(
            shard: start.shard,
            epoch: start.record.epoch,
            progress: start.record.progress,
            isProbe: start.isProbe,
            now: world.now
        )
        boxes[key] = RunBox(run: run)
    }

    private func takeOver(_ key: ShardKey) -> Finished? {
        guard let box = boxes[key], box.run.isOver else { return nil }
        if box.run.isProbe { faults[share(key)].probeEnded() }
        boxes[key] = nil
        return Finished(end: box.run.finish(), epoch: box.run.epoch, probe: box.run.probeResult)
    }

    /// Tells the desk of runs that are over, once.
    func report() {
        for key in boxes.keys.sorted() where boxes[key]?.isReported == false && boxes[key]?.run.isOver == true {
            boxes[key]?.isReported = true
            notes.append(.over(key))
        }
    }

    /// Whether what it knows of its campaigns is fresh enough.
    private var knows: Bool {
        world.broken == .blindnessIgnored || world.now < polledAt.advanced(by: Supersession.knowledgeLasts)
    }

    func openStream() -> Bool {
        guard knows, isConnected || world.broken == .leaseIgnored, let key = pick(where: { $0.run.hasWork }),
            var box = boxes.removeValue(forKey: key)
        else {
            return false
        }
        let share = share(key)
        for _ in 0..<1 + world.random.below(SimulatedLedger.devicesPerShard) {
            guard let position = box.run.next(now: world.now) else { break }
            if world.isLeftOut(box.run.shard, position) {
                box.run.leftOut(position, LeftOut(.skipped, reason: "Aborted"))
                continue
            }
            box.streams.append(position)
            box.marks[position] = faults[share].isSampling ? faults[share].mark(attempt: box.run.shard.attempt) : 0
            world.streamOpened(box.run, position: position, isLeaseLost: machine.isLeaseLost(key))
        }
        boxes[key] = box
        return true
    }

    func endStream() -> Bool {
        guard let key = pick(where: { !$0.streams.isEmpty }), var box = boxes[key] else { return false }
        let position = box.streams.remove(at: world.random.below(box.streams.count))
        boxes[key] = nil
        let share = share(key)
        let (isProving, mark) = (box.run.isProving, box.marks[position] ?? 0)
        var (step, isHealthy) = (FaultRun.Step.putOff, false)
        switch world.answer(box.run.shard, position) {
        case .accepted:
            box.run.accepted(position)
            isHealthy = faults[share].isRaised
            if isHealthy, isProving { box.run.proved() }
        case .verdict(let verdict):
            box.run.ended(position, verdict, now: world.now)
            faults[share].toldNothing(mark: mark, attempt: box.run.shard.attempt)
        case .silence:
            box.run.unanswered(position, reason: "Timeout", now: world.now)
            if isProving {
                step = faults[share].certain(attempt: 1, decides: true, now: world.now)
            } else {
                faults[share].toldNothing(mark: mark, attempt: box.run.shard.attempt)
            }
        case .outage:
            let attempt = box.run.shard.attempt
            step = faults[share].answer(attempt: attempt, mark: mark, decides: isProving, now: world.now)
            let verdict = Verdict.retry(reason: "ServiceUnavailable", retryAfter: nil, charged: true)
            if step == .putOff {
                box.putOff.append((position, verdict))
            } else {
                box.run.ended(position, isProving ? verdict : .setAside(.breaker), now: world.now)
            }
        }
        boxes[key] = box
        if isHealthy, faults[share].healthy(mark: mark, decides: isProving) {
            for key in boxes.keys.sorted() where self.share(key) == share { decide(key) }
        }
        if case .trip(let since) = step { trip(share, since: since) }
        return true
    }

    /// It is known what the faults of a run mean; `verdict`: not what the answers said.
    private func decide(_ key: ShardKey, as verdict: Verdict? = nil) {
        for device in boxes[key]?.putOff ?? [] {
            boxes[key]?.run.ended(device.position, verdict ?? device.verdict, now: world.now)
        }
        boxes[key]?.putOff = []
    }

    /// No answer will come that tells whose the faults were.
    func decideIfDrained() {
        for share in Share.allCases { decideIfDrained(share.rawValue) }
    }

    private func decideIfDrained(_ share: Int) {
        let ours = boxes.filter { self.share($0.key) == share }
        let isWaiting = ours.values.contains { !$0.streams.isEmpty || $0.run.hasWork }
        let keys = ours.filter { !$0.value.putOff.isEmpty }.keys.sorted()
        // A stopped run does not wait.
        for key in keys where boxes[key]?.run.stop != nil { decide(key, as: .setAside(.breaker)) }
        guard !isWaiting, keys.contains(where: { boxes[$0]?.putOff.isEmpty == false }) else { return }
        let drained = faults[share].drained(mayAsk: keys.contains { boxes[$0]?.run.stop == nil })
        for key in keys { decide(key, as: drained == .charge ? nil : .again(reason: "Asked", otherwise: .retry)) }
        if drained != .charge { world.asked += 1 }
    }

    private func share(_ key: ShardKey) -> Int { world.ledger.share(key).rawValue }

    private func trip(_ share: Int, since: Timestamp) {
        writes.append(.trip(Breaker.Trip(reason: "ServiceUnavailable", since: since)))
        for key in boxes.keys.sorted() where self.share(key) == share {
            boxes[key]?.run.requestStop(.setAside(.breaker))
            decide(key, as: .setAside(.breaker))
        }
    }

    func save() -> Bool {
        guard let key = pick(where: { $0.run.isDirty }), let box = boxes[key] else { return false }
        writes.append(.save(key, epoch: box.run.epoch, box.run.progress))
        boxes[key]?.run.progressSaved()
        return true
    }

    private func pick(where isWanted: (RunBox) -> Bool) -> ShardKey? {
        guard !boxes.isEmpty else { return nil }
        let wanted = boxes.filter { isWanted($0.value) }.keys.sorted()
        return wanted.isEmpty ? nil : wanted[world.random.below(wanted.count)]
    }
}
