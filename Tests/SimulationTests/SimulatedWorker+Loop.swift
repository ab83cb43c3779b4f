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
        case .stop(let key, let reason, _): stop(key, reason)
        case .takeOver(let key, _): notes.append(.took(key, takeOver(key)))
        default: preconditionFailure("no order of a loop")
        }
        return true
    }

    private func begin(_ start: WorkerShards.Start) {
        let key = start.shard.id.key
        if let old = boxes.removeValue(forKey: key) { faults[share(key)].runStopped(old.slot) }
        faults[share(key)].runBegan(isProbe: start.isProbe)
        carry()
        let run = ShardRun(
            shard: start.shard,
            epoch: start.record.epoch,
            progress: start.record.progress,
            isProbe: start.isProbe,
            now: world.now
        )
        begun += 1
        boxes[key] = RunBox(run: run, slot: begun)
    }

    func stop(_ key: ShardKey, _ reason: ShardRun.Stop) {
        boxes[key]?.run.requestStop(reason)
        giveBack(key)
    }

    /// A run is stopped: its devices that were put off stay pending.
    private func giveBack(_ key: ShardKey) {
        guard let box = boxes[key], box.run.stop != nil else { return }
        faults[share(key)].runStopped(box.slot)
        carry()
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
        let isProving = box.run.isProving
        let request = EndpointFaults.Request(
            mark: box.marks[position] ?? 0,
            attempt: box.run.shard.attempt,
            isProving: isProving,
            isStopped: box.run.stop != nil
        )
        var since: Timestamp?
        switch world.answer(box.run.shard, position) {
        case .accepted:
            box.run.accepted(position)
            if faults[share].isRaised, faults[share].healthy(request) != .tellsNothing, isProving { box.run.proved() }
        case .verdict(let verdict):
            box.run.ended(position, verdict, now: world.now)
            faults[share].toldNothing(request)
        case .silence:
            box.run.unanswered(position, reason: "Timeout", now: world.now)
            since = faults[share].unanswered(request, isDeadline: false, now: world.now)
        case .outage:
            let verdict = Verdict.retry(reason: "ServiceUnavailable", retryAfter: nil, charged: true)
            let device = EndpointFaults.Device(slot: box.slot, position: position)
            let step = faults[share].fault(of: device, request, verdict, now: world.now)
            since = step.trip
            switch step.fate {
            case .putOff: break
            case .pending: box.run.ended(position, .setAside(.breaker), now: world.now)
            case .asSaid: box.run.ended(position, verdict, now: world.now)
            }
        }
        boxes[key] = box
        carry()
        giveBack(key)
        if let since { trip(share, since: since) }
        return true
    }

    /// Carries to the runs what has become of devices that were put off.
    private func carry() {
        for share in faults.indices {
            faults[share].take(&decided)
            for decision in decided {
                guard let key = boxes.first(where: { $0.value.slot == decision.device.slot })?.key else { continue }
                boxes[key]?.run.ended(decision.device.position, decision.verdict, now: world.now)
            }
        }
    }

    /// No answer will come that tells whose the faults were.
    func decideIfDrained() {
        for share in Share.allCases.map(\.rawValue) where faults[share].hasPutOff {
            let ours = boxes.values.filter { self.share($0.run.shard.id.key) == share }
            guard !ours.contains(where: { !$0.streams.isEmpty || $0.run.hasWork }) else { continue }
            if faults[share].drained() { world.asked += 1 }
            carry()
        }
    }

    private func share(_ key: ShardKey) -> Int { world.ledger.share(key).rawValue }

    private func trip(_ share: Int, since: Timestamp) {
        writes.append(.trip(Breaker.Trip(reason: "ServiceUnavailable", since: since)))
        for key in boxes.keys.sorted() where self.share(key) == share { stop(key, .setAside(.breaker)) }
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
