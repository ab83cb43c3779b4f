import Campaigns
import Delivery
import Seeds

/// One worker process: what a sender's driver does, in steps that may end anywhere.
///
/// Decisions are `RunningShards`' and `ShardRun`'s; a step is one arrow of the design's section 7.
final class SimulatedWorker {
    struct RunBox {
        var run: ShardRun
        var streams: [Int] = []
        /// What the requests carry that tell what faults mean.
        var marks: [Int: UInt16] = [:]
        /// Devices that got a fault, while it is not known whose.
        var putOff: [(position: Int, verdict: Verdict)] = []
        /// Its last write is on the way to the ledger.
        var isFinishing = false
    }

    struct Publish {
        var shards: [ShardKey]
        /// Acked afterwards.
        var delivery: ShardDelivery?
    }

    private(set) var process: Int64
    private(set) var isConnected = true
    private(set) var isTerminating = false
    private var connection: UInt64 = 1
    private var tag: UInt64 = 0
    private var table = RunningShards()
    private var boxes: [ShardKey: RunBox] = [:]
    private var writes: [SimulatedLedger.Write] = []
    private var answers: [SimulatedLedger.Answer] = []
    private var publishes: [Publish] = []
    private var unacked: [ShardDelivery: SimulatedBroker.Message] = [:]
    private var shards: [ShardKey: Shard] = [:]
    private var held = HeldDeliveries()
    private var polledAt: Timestamp
    /// One for each provider.
    private var faults = [SimulatedWorker.noFaults, SimulatedWorker.noFaults]
    private unowned let world: World

    static let prefetch = 3
    /// A shard is six devices here.
    private static let noFaults = FaultRun(answersMax: 3, retriesMax: 6)
    static let pollEvery = Duration.milliseconds(500)

    init(process: Int64, world: World) {
        self.process = process
        self.world = world
        polledAt = world.now
        table.connected(connection)
    }

    var isIdle: Bool {
        unacked.isEmpty && boxes.isEmpty && writes.isEmpty && answers.isEmpty && publishes.isEmpty
    }

    var holdsMessages: Bool { !unacked.isEmpty }

    // MARK: Faults

    /// Everything in memory is gone; the broker has its messages again.
    func crash(process: Int64) {
        requeueAll()
        held = HeldDeliveries()
        self.process = process
        connection += 1
        table = RunningShards()
        table.connected(connection)
        (boxes, shards) = ([:], [:])
        (writes, answers, publishes) = ([], [], [])
        (isConnected, isTerminating) = (true, false)
        faults = [Self.noFaults, Self.noFaults]
        polledAt = world.now
    }

    func disconnect() {
        guard isConnected else { return }
        isConnected = false
        held.release()
        requeueAll()
        for key in table.disconnected() where world.broken != .leaseIgnored { boxes[key]?.run.requestStop(.leaseLost) }
    }

    private func reconnect() -> Bool {
        guard !isConnected else { return false }
        isConnected = true
        connection += 1
        table.connected(connection)
        return true
    }

    /// The connection was only lost for a moment: the worker gets its messages back before others do.
    func comeBack() throws {
        _ = reconnect()
        while try consume() {}
    }

    func terminate() {
        isTerminating = true
    }

    private func requeueAll() {
        for (_, message) in unacked.sorted(by: { $0.key.tag < $1.key.tag }) { world.broker.requeue(message) }
        unacked = [:]
    }

    // MARK: Steps

    /// Does one thing that can be done, drawn at random.
    func step() throws {
        pollIfDue()
        if isTerminating {
            for key in table.runningKeys { boxes[key]?.run.requestStop(.setAside(.handOver)) }
            if boxes.isEmpty, writes.isEmpty, answers.isEmpty, publishes.isEmpty {
                world.ledger.owners.left.insert(process)
                return crash(process: world.newProcess())
            }
        }
        for message in held.due(now: instant) {
            let key = message.shard.id.key
            shards[key] = message.shard
            handle(table.arrived(key, message.delivery), key, message.delivery)
        }
        let first = world.random.below(Action.all.count)
        for index in Action.all.indices {
            if try act(Action.all[(first + index) % Action.all.count]) { break }
        }
        decideIfDrained()
        finishRuns()
    }

    private enum Action {
        case reconnect, consume, open, end, save, commit, answer, publish

        /// In an order in which what follows does not always come right after; more often what is done more often.
        static let all: [Action] = [
            .open, .reconnect, .consume, .end, .open, .answer, .open, .save, .end, .commit, .publish, .reconnect, .open,
            .consume, .end,
        ]
    }

    /// Tells whether there was something to do.
    private func act(_ action: Action) throws -> Bool {
        switch action {
        case .reconnect: reconnect()
        case .consume: try consume()
        case .open: openStream()
        case .end: endStream()
        case .save: save()
        case .commit: try commit()
        case .answer: handleAnswer()
        case .publish: try publish()
        }
    }

    private func consume() throws -> Bool {
        // What is held does not use up the prefetch.
        guard isConnected, !isTerminating, unacked.count - held.count < Self.prefetch else { return false }
        guard let message = world.broker.deliver(random: &world.random) else { return false }
        let shard = try Shard(encoded: message.body)
        tag += 1
        let delivery = ShardDelivery(
            connection: connection,
            tag: tag,
            generation: shard.generation,
            redelivered: message.redelivered
        )
        unacked[delivery] = message
        shards[shard.id.key] = shard
        handle(table.arrived(shard.id.key, delivery), shard.id.key, delivery)
        return true
    }

    private func handle(_ arrival: RunningShards.Arrival, _ key: ShardKey, _ delivery: ShardDelivery) {
        switch arrival {
        case .claim(let adopting):
            boxes[key]?.run.requestStop(.leaseLost)
            let claim = Claim(
                key: key,
                generation: delivery.generation,
                redelivered: delivery.redelivered,
                worker: process,
                knowsApp: true,
                adopting: adopting,
                overdue: held.overdue(key, streamDeadline: world.streamDeadline, now: instant)
            )
            writes.append(.claim(claim, delivery))
        case .secondCopy: ack(delivery)
        case .wait, .gone: break
        }
    }

    private var instant: MonotonicInstant { MonotonicInstant(nanoseconds: world.now.milliseconds * 1_000_000) }

    private func ack(_ delivery: ShardDelivery) {
        unacked[delivery] = nil
    }

    /// Whether what it knows of its campaigns is fresh enough.
    private var knows: Bool {
        world.broken == .blindnessIgnored || world.now < polledAt.advanced(by: Supersession.knowledgeLasts)
    }

    private func openStream() -> Bool {
        guard knows, let key = pick(where: { $0.run.hasWork }), var box = boxes.removeValue(forKey: key) else {
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
            world.streamOpened(box.run, position: position, isLeaseLost: table.isLeaseLost(key))
        }
        boxes[key] = box
        return true
    }

    private func endStream() -> Bool {
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
    private func decideIfDrained() {
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

    private func save() -> Bool {
        guard let key = pick(where: { $0.run.isDirty && !$0.isFinishing }), !table.isAdopting(key), let box = boxes[key]
        else { return false }
        writes.append(.save(key, epoch: box.run.epoch, box.run.progress))
        boxes[key]?.run.progressSaved()
        return true
    }

    private func finishRuns() {
        for key in boxes.keys.sorted() {
            guard let box = boxes[key], box.run.isOver, !box.isFinishing, !table.isAdopting(key) else { continue }
            boxes[key]?.isFinishing = true
            let epoch = box.run.epoch
            switch box.run.finish() {
            case .settle(let settlement):
                writes.append(.settle(key, epoch: epoch, settlement, box.run.probeResult))
            case .setAside(let reason, let progress):
                writes.append(.setAside(key, epoch: epoch, reason, progress, box.run.probeResult))
            case .abandon(let progress):
                writes.append(.abandon(key, epoch: epoch, progress))
                forget(key, epoch: epoch)
            case .violated: world.violation = "\(box.run.shard.id): the law does not hold at its end"
            }
        }
    }

    /// The writer takes whatever waits: one transaction.
    private func commit() throws -> Bool {
        guard !writes.isEmpty else { return false }
        for write in writes { answers.append(try world.ledger.commit(write, now: world.now)) }
        writes = []
        return true
    }

    private func handleAnswer() -> Bool {
        guard !answers.isEmpty else { return false }
        handle(answers.removeFirst())
        return true
    }

    private func handle(_ answer: SimulatedLedger.Answer) {
        switch answer {
        case .tripped, .stopMarked, .givenUp: break
        case .claimed(let key, let delivery, let decision, let record, let isProbe, let campaign):
            claimed(key, delivery, decision, record, isProbe, campaign)
        case .saved(let key, let epoch, let isOurs, let started):
            guard boxes[key]?.run.epoch == epoch else { return }
            if isOurs { boxes[key]?.run.markCommitted(started) } else { forget(key, epoch: epoch) }
        case .settled(let key, let epoch, let isOurs, let children):
            let delivery = end(key, epoch: epoch)
            if isOurs, !children.isEmpty {
                publishes.append(Publish(shards: children, delivery: delivery))
            } else if let delivery {
                ack(delivery)
            }
        case .asided(let key, let epoch, _):
            let delivery = end(key, epoch: epoch)
            if world.ledger.outbox[key] != nil {
                publishes.append(Publish(shards: [key], delivery: delivery))
            } else if let delivery {
                ack(delivery)
            }
        }
    }

    private func claimed(
        _ key: ShardKey,
        _ delivery: ShardDelivery,
        _ decision: Claim.Decision,
        _ record: ShardRecord?,
        _ isProbe: Bool,
        _ campaign: CampaignFacts
    ) {
        let (conclusion, rest) = table.concluded(
            key,
            epoch: decision == .run ? record?.epoch : nil,
            waits: decision == .waits,
            endChanges: campaign.endChanges,
            now: world.now
        )
        if decision != .waits { held.answered(key) }
        switch conclusion {
        case .hold(let delivery):
            guard let shard = shards[key] else { preconditionFailure("held \(key) without its message") }
            held.hold(.init(shard, delivery, queue: "work"), epoch: record?.epoch ?? 0, now: instant)
        case .giveUp(let epoch): writes.append(.giveUp(key, epoch: epoch))
        case .start(let replaced):
            if let replaced { ack(replaced) }
            guard let record, var shard = shards[key] else { preconditionFailure("claimed \(key) without its message") }
            faults[share(key)].begin(isProbe: isProbe)
            if campaign.endChanges > 0 { shard.facts.expiresAt = campaign.expiresAt }
            let run = ShardRun(
                shard: shard,
                epoch: record.epoch,
                progress: record.progress,
                isProbe: isProbe,
                now: world.now
            )
            boxes[key] = RunBox(run: run)
            if let stop = table.startStop(key) { boxes[key]?.run.requestStop(stop) }
        case .adopt:
            guard let record else { preconditionFailure("claimed \(key) without its row") }
            world.adoptions += 1
            boxes[key]?.run.adopted(epoch: record.epoch, isLeaseLost: table.isLeaseLost(key))
        case .ack(let delivery):
            if decision == .settledAlready {
                let left = world.ledger.children(of: key)
                publishes.append(Publish(shards: left, delivery: delivery))
            } else {
                ack(delivery)
            }
        case .gone: break
        }
        for (delivery, arrival) in rest { handle(arrival, key, delivery) }
    }

    /// One publish of what has to be published; its confirm comes, or is lost.
    private func publish() throws -> Bool {
        guard var first = publishes.first else { return false }
        while let key = first.shards.last {
            first.shards.removeLast()
            if world.ledger.outbox[key] != nil {
                // Acked even if no confirm comes (ten seconds after the settle): the row stays, it is the sweeper's.
                _ = try world.publish(key)
                break
            }
        }
        publishes[0] = first
        if first.shards.isEmpty {
            publishes.removeFirst()
            if let delivery = first.delivery { ack(delivery) }
        }
        return true
    }

    private func pollIfDue() {
        guard polledAt.advanced(by: Self.pollEvery) <= world.now, world.readsLedger() else { return }
        polledAt = world.now
        let facts = [world.ledger.campaign.number: world.ledger.whole]
        let quiet = Set(world.ledger.rows.keys.filter(world.ledger.inQuiet))
        let shares = world.ledger.isMixed ? world.ledger.runsByShare : [:]
        for (key, stop) in table.stops(campaigns: facts, shares: shares, quiet: quiet, now: world.now) {
            boxes[key]?.run.requestStop(stop)
        }
        guard world.ledger.campaign.supersededBy != nil else { return }
        for (key, box) in boxes.sorted(by: { $0.key < $1.key }) where box.run.stop != nil && !box.isFinishing {
            writes.append(.stopped(key, epoch: box.run.epoch))
        }
    }

    // MARK: Runs

    private func end(_ key: ShardKey, epoch: UInt32) -> ShardDelivery? {
        if let box = boxes[key], box.run.epoch == epoch {
            if box.run.isProbe { faults[share(key)].probeEnded() }
            boxes[key] = nil
        }
        return table.ended(key, epoch: epoch)
    }

    private func forget(_ key: ShardKey, epoch: UInt32) {
        if let delivery = end(key, epoch: epoch) { ack(delivery) }
    }

    private func pick(where isWanted: (RunBox) -> Bool) -> ShardKey? {
        guard !boxes.isEmpty else { return nil }
        let wanted = boxes.filter { isWanted($0.value) }.keys.sorted()
        return wanted.isEmpty ? nil : wanted[world.random.below(wanted.count)]
    }
}
