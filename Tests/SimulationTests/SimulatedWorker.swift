import Campaigns
import Delivery
import Seeds

/// One worker process: the work of a sender's driver, in steps that may end anywhere.
///
/// `WorkerShards`, `LoopRuns` and `EndpointFaults` decide; a step is one arrow of the design's section 7. Queues
/// connect the coordinator and the loop, so that each learns of the other's messages later, or never.
final class SimulatedWorker {
    typealias Finished = LoopRuns.Finished

    /// The state that a loop's driver keeps for a run.
    struct Entry {
        var share: Int
        /// The open streams, each with the mark by which faults are judged.
        var streams: [(position: Int, mark: UInt16)] = []
        /// True if its connections fetch its requests.
        var isAsking = false
    }

    /// A message from the loop to the coordinator.
    enum Note {
        case over(ShardKey)
        case took(ShardKey, Finished?)
    }

    struct Publish {
        var shards: [ShardKey]
        /// The delivery that is acked afterwards.
        var delivery: ShardDelivery?
    }

    private(set) var process: Int64
    private(set) var isConnected = true
    private(set) var isTerminating = false
    private var connection: UInt64 = 1
    private var tag: UInt64 = 0
    var machine = SimulatedWorker.newMachine(streamDeadline: .zero)
    private var buffer: [WorkerShards.Action] = []
    /// Messages from the coordinator to the loop, and from the loop to the coordinator.
    var orders: [WorkerShards.Action] = []
    var notes: [Note] = []
    private var wakeAt: MonotonicInstant?
    /// The delivery by which a shard was last claimed, and the delivery of its run.
    private var claimedBy: [ShardKey: UInt64] = [:]
    private var leases: [ShardKey: UInt64] = [:]
    /// The instant at which a stopping worker hands over the shards that still run.
    private var handsOverAt: Timestamp?
    var runs = SimulatedWorker.noRuns
    var steps: [LoopRuns.Action] = []
    var entries: [Int: Entry] = [:]
    var writes: [SimulatedLedger.Write] = []
    private var answers: [SimulatedLedger.Answer] = []
    private var publishes: [Publish] = []
    /// Unacknowledged messages by delivery tag, which no later connection reuses.
    private var unacked: [UInt64: SimulatedBroker.Message] = [:]
    private(set) var polledAt: Timestamp
    /// The faults of each provider.
    var faults = [SimulatedWorker.noFaults, SimulatedWorker.noFaults]
    unowned let world: World

    static let prefetch = 3
    /// A shard has six devices here.
    private static let noFaults = EndpointFaults(answersMax: 3, retriesMax: 6)
    /// Fewer than the devices of the shards in hand.
    private static var noRuns: LoopRuns { LoopRuns(unflushedMax: 9) }
    static let pollEvery = Duration.milliseconds(500)

    init(process: Int64, world: World) {
        self.process = process
        self.world = world
        polledAt = world.now
        world.ledger.owners.reportedAt[process] = world.now
        renew()
    }

    private static func newMachine(streamDeadline: Duration) -> WorkerShards {
        WorkerShards(WorkerShards.Setting(prefetch: { _ in prefetch }, streamDeadline: { _ in streamDeadline }))
    }

    private func renew() {
        machine = Self.newMachine(streamDeadline: world.streamDeadline)
        (orders, notes, wakeAt) = ([], [], nil)
        machine.connected(connection, at: moment)
        perform()
    }

    var isIdle: Bool { unacked.isEmpty && isDone }

    private var isDone: Bool {
        runs.takenIndexes.isEmpty && writes.isEmpty && answers.isEmpty && publishes.isEmpty && orders.isEmpty
            && notes.isEmpty
    }

    /// True if streams of runs that the ledger has are open.
    var hasStreams: Bool {
        entries.contains { runIndex, entry in
            guard !entry.streams.isEmpty, let key = runs.shard(runIndex)?.id.key else { return false }
            return runs.epoch(runIndex) == world.ledger.rows[key]?.epoch
        }
    }

    var holdsMessages: Bool { !unacked.isEmpty }

    // MARK: Faults

    /// Loses everything in memory; the broker requeues its messages.
    func crash(process: Int64) {
        requeueAll()
        self.process = process
        connection += 1
        (runs, entries) = (Self.noRuns, [:])
        (claimedBy, leases) = ([:], [:])
        (writes, answers, publishes) = ([], [], [])
        renew()
        (isConnected, isTerminating, handsOverAt) = (true, false, nil)
        faults = [Self.noFaults, Self.noFaults]
        polledAt = world.now
        world.ledger.owners.reportedAt[process] = world.now
    }

    func disconnect() {
        guard isConnected else { return }
        isConnected = false
        requeueAll()
        machine.disconnected()
        perform()
    }

    private func reconnect() -> Bool {
        guard !isConnected else { return false }
        // Reconnecting takes longer than a message to a loop.
        while obey() {}
        isConnected = true
        connection += 1
        machine.connected(connection, at: moment)
        perform()
        return true
    }

    /// Reconnects after a short loss: the worker gets its messages back before others do.
    func comeBack() throws {
        _ = reconnect()
        while try consume() {}
    }

    /// Tells the worker to stop: it hands over new claims, and running shards have a while left.
    func terminate() {
        guard !isTerminating else { return }
        isTerminating = true
        handsOverAt = world.now.advanced(by: .seconds(world.random.below(20)))
        machine.beginNothing()
        perform()
    }

    private func requeueAll() {
        for (_, message) in unacked.sorted(by: { $0.key < $1.key }) { world.broker.requeue(message) }
        unacked = [:]
    }

    // MARK: Steps

    /// Executes one possible action, drawn at random.
    func step() throws {
        reportIfDue()
        pollIfDue()
        if isTerminating {
            if let at = handsOverAt, at <= world.now {
                handsOverAt = nil
                machine.handOverAll()
                perform()
            }
            if isDone {
                world.ledger.owners.left.insert(process)
                return crash(process: world.newProcess())
            }
        }
        if let wakeAt, wakeAt <= instant {
            self.wakeAt = nil
            machine.woke(at: moment)
            perform()
        }
        let first = world.random.below(Action.all.count)
        for index in Action.all.indices {
            if try act(Action.all[(first + index) % Action.all.count]) { break }
        }
        decideIfDrained()
    }

    private enum Action {
        case reconnect, consume, open, end, save, commit, answer, publish, order, note

        /// The order is such that consequences do not always follow at once; frequent actions occur more than once.
        static let all: [Action] = [
            .open, .reconnect, .order, .consume, .end, .open, .note, .answer, .open, .order, .save, .end, .commit,
            .publish, .note, .reconnect, .open, .order, .consume, .end, .note,
        ]
    }

    /// Executes an action; returns true if there was something to do.
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
        case .order: obey()
        case .note: hear()
        }
    }

    private func consume() throws -> Bool {
        // Held messages do not count toward the prefetch.
        guard isConnected, !isTerminating, unacked.count - machine.heldCount < Self.prefetch else { return false }
        guard let message = world.broker.deliver(random: &world.random) else { return false }
        tag += 1
        unacked[tag] = message
        var delivery = ShardDelivery(
            connection: connection,
            tag: tag,
            generation: message.generation,
            redelivered: message.redelivered,
            returns: message.returns
        )
        if message.isCampaign {
            delivery.campaignQueue = BrokerNames.urgentCampaignsQueue
            writes.append(.accept(delivery))
            return true
        }
        let shard = try Shard(encoded: message.body)
        machine.delivered(shard, delivery, at: moment)
        perform()
        return true
    }

    /// Executes the machine's actions; `finished` and `left` come from the last fact.
    private func perform(_ finished: Finished? = nil, left: [ShardKey] = []) {
        machine.take(&buffer)
        checkOrder(left: left)
        checkHandedOver()
        checkAcks()
        for action in buffer {
            switch action {
            case .claim(let order):
                checkStopped(order.shard.id.key)
                claimedBy[order.shard.id.key] = order.delivery.tag
                writes.append(.claim(claim(order), order, at: world.now))
            case .start(let start):
                leases[start.shard.id.key] = claimedBy[start.shard.id.key]
                orders.append(action)
            case .adopt(let key, _, _, _):
                leases[key] = claimedBy[key]
                orders.append(action)
            case .takeOver, .endCommitted: orders.append(action)
            case .stop(_, let reason, _):
                if reason == .leaseLost, world.broken == .leaseIgnored { continue }
                orders.append(action)
                // Until a loop learns of the lost lease, the lease's own end stops it. A separate bound limits the
                // delay of other stops: what is known of the campaigns.
                if reason != .leaseLost { while obey() {} }
            case .write(let key, let epoch):
                guard let finished else { preconditionFailure("\(key) was taken over without a run") }
                write(finished, key, epoch)
            case .publish(let delivery): publishes.append(Publish(shards: left, delivery: delivery))
            case .ack(let delivery): ack(delivery)
            case .park(_, let delivery, _): publishes.append(Publish(shards: [], delivery: delivery))
            case .giveUp(let key, let epoch): writes.append(.giveUp(key, epoch: epoch))
            case .widen: break
            case .wake(let at): wakeAt = at
            case .tellStopped(let keys):
                for (key, epoch) in runs.stopped(keys, now: instant) { writes.append(.stopped(key, epoch: epoch)) }
            }
        }
    }

    private func ack(_ delivery: ShardDelivery) {
        guard let message = unacked.removeValue(forKey: delivery.tag) else { return }
        if message.isCampaign, let row = world.ledger.underLease.first {
            world.violation = "\(row.id) runs, and the message that is its lease is acked"
        }
    }

    /// Takes the lease of an urgent campaign, when it was accepted or its message came back.
    private func lease(_ delivery: ShardDelivery, _ rows: [ShardRecord], isNew: Bool) {
        // Its connection may be gone; the machine knows.
        guard !rows.isEmpty else { return ack(delivery) }
        machine.leased(delivery, shards: rows.count)
        for row in rows {
            var own = delivery
            own.generation = row.generation
            let shard = world.ledger.shard(row)
            if isNew {
                machine.accepted(shard, row, own, at: moment)
            } else {
                machine.delivered(shard, own, at: moment)
            }
        }
        perform()
    }

    /// Checks that a shard's children are published before its message is acked.
    private func checkOrder(left: [ShardKey]) {
        guard !left.isEmpty else { return }
        let acked = buffer.compactMap { if case .ack(let delivery) = $0 { unacked[delivery.tag]?.key } else { nil } }
        if let key = acked.first(where: { key in left.contains { $0.ordinal == key.ordinal && $0.part == key.part } }) {
            world.violation = "\(key) is acked before what it leaves is published"
        }
    }

    /// Checks that a run's lease message is acked only once the ledger has the run's end, or a newer run starts.
    private func checkAcks() {
        let begun = buffer.compactMap { if case .start(let start) = $0 { start.shard.id.key } else { nil } }
        for case .ack(let delivery) in buffer where delivery.campaignQueue == nil {
            guard let key = unacked[delivery.tag]?.key, leases[key] == delivery.tag, !begun.contains(key),
                let row = world.ledger.rows[key], row.state == .running, row.owner == process,
                row.generation == delivery.generation
            else { continue }
            world.violation = "\(row.id) runs, and the message that is its lease is acked"
        }
    }

    /// Checks that a run whose shard is claimed anew opens no stream until the answer comes.
    private func checkStopped(_ key: ShardKey) {
        guard world.broken != .leaseIgnored, let runIndex = runs.runIndex(of: key), !runs.isStopped(runIndex) else {
            return
        }
        let isTold = orders.contains { if case .stop(key, _, _) = $0 { true } else { false } }
        if !isTold { world.violation = "\(key) is claimed anew while its run goes on" }
    }

    /// Checks that a run that begins at a stopping worker is handed over at once.
    private func checkHandedOver() {
        guard isTerminating else { return }
        let stopped = buffer.compactMap { if case .stop(let key, .setAside, _) = $0 { key } else { nil } }
        for case .start(let start) in buffer where !stopped.contains(start.shard.id.key) {
            world.violation = "\(start.shard.id) began at a worker that stops"
        }
    }

    private func claim(_ order: WorkerShards.Order) -> Claim {
        Claim(
            key: order.shard.id.key,
            generation: order.delivery.generation,
            redelivered: order.delivery.redelivered,
            returns: order.delivery.returns,
            worker: process,
            knowsApp: true,
            adopting: order.adopting,
            isAlone: order.isAlone,
            overdue: order.overdue,
            judgesSilence: order.judgesSilence,
            content: Claim.Content(order.shard)
        )
    }

    private func write(_ finished: Finished, _ key: ShardKey, _ epoch: UInt32) {
        switch finished.end {
        case .settle(let settlement): writes.append(.settle(key, epoch: epoch, settlement, finished.probe))
        case .setAside(let reason, let progress):
            writes.append(.setAside(key, epoch: epoch, reason, progress, finished.probe))
        case .abandon(let progress): writes.append(.abandon(key, epoch: epoch, progress))
        case .violated: world.violation = "\(key): the law does not hold at its end"
        }
    }

    /// Processes a message of the loop.
    private func hear() -> Bool {
        guard !notes.isEmpty else { return false }
        switch notes.removeFirst() {
        case .over(let key):
            machine.runIsOver(key)
            perform()
        case .took(let key, let finished):
            machine.tookOver(key, epoch: finished?.epoch, at: moment)
            perform(finished)
        }
        return true
    }

    /// The number of answers that a loop without a run still counts as uncommitted.
    var unflushed: Int { runs.unflushed }

    private var moment: WorkerShards.Moment { WorkerShards.Moment(world.now, instant) }

    var instant: MonotonicInstant { MonotonicInstant(nanoseconds: world.now.milliseconds * 1_000_000) }

    /// Writes everything that waits, in one transaction.
    private func commit() throws -> Bool {
        guard !writes.isEmpty else { return false }
        if world.isLedgerAway { return failClaim() }
        for write in writes {
            if case .save = write, !world.takesSave() {
                answers.append(.notSaved)
            } else {
                answers.append(try world.ledger.commit(write, by: process, now: world.now))
            }
        }
        writes = []
        return true
    }

    /// Fails a claim while the ledger is away: claims are given up and made again; other writes wait.
    private func failClaim() -> Bool {
        for (index, write) in writes.enumerated() {
            guard case .claim(_, let order, let asked) = write, world.now.since(asked) >= .seconds(1) else { continue }
            writes.remove(at: index)
            answers.append(.notClaimed(order))
            return true
        }
        return false
    }

    private func handleAnswer() -> Bool {
        guard !answers.isEmpty else { return false }
        handle(answers.removeFirst())
        return true
    }

    private func handle(_ answer: SimulatedLedger.Answer) {
        switch answer {
        case .tripped, .stopMarked, .givenUp: break
        case .notClaimed(let order):
            machine.claimFailed(order, at: moment)
            perform()
        case .claimed(let key, let decision, let record, let campaign):
            let newEnd = campaign.endChanges > 0 ? campaign.expiresAt : nil
            let answer = WorkerShards.Answer(decision, record: record, campaign: campaign, newEnd: newEnd)
            machine.claimAnswered(key, answer, at: moment)
            switch decision {
            case .settledAlready: perform(left: world.ledger.children(of: key))
            case .setAside(.handOver): perform(left: [key])
            default: perform()
            }
        case .accepted(let delivery, let rows, let isNew): lease(delivery, rows, isNew: isNew)
        case .saved(let fenced):
            runs.saved(fenced: fenced)
            follow()
        case .notSaved:
            runs.saveFailed()
            follow()
        case .settled(let key, let epoch, let isOurs, let children):
            finished(key, epoch, left: isOurs ? children : [])
        case .asided(let key, let epoch, _): finished(key, epoch, left: world.ledger.outbox[key] == nil ? [] : [key])
        case .abandoned(let key, let epoch): finished(key, epoch, left: [])
        }
    }

    /// Handles a run's end after the ledger has it.
    private func finished(_ key: ShardKey, _ epoch: UInt32, left: [ShardKey]) {
        machine.ended(key, epoch: epoch, publishes: !left.isEmpty, at: moment)
        perform(left: left)
    }

    /// Publishes one pending message; its confirm comes or is lost.
    private func publish() throws -> Bool {
        guard var first = publishes.first else { return false }
        while let key = first.shards.last {
            first.shards.removeLast()
            if world.ledger.outbox[key] != nil {
                // Acked even without a confirm (ten seconds after the settle): the row stays for the sweeper.
                _ = try world.publish(key)
                break
            }
        }
        publishes[0] = first
        if first.shards.isEmpty {
            publishes.removeFirst()
            machine.published(first.delivery)
            perform()
        }
        return true
    }

    private func reportIfDue() {
        let last = world.ledger.owners.reportedAt[process] ?? world.now
        guard last.advanced(by: .seconds(2)) <= world.now, !world.isLedgerAway else { return }
        world.ledger.owners.reportedAt[process] = world.now
        machine.reported(at: moment)
    }

    private func pollIfDue() {
        guard polledAt.advanced(by: Self.pollEvery) <= world.now, world.readsLedger() else { return }
        polledAt = world.now
        let facts = [world.ledger.whole]
        let quiet = Set(world.ledger.rows.keys.filter(world.ledger.inQuiet))
        let shares = world.ledger.isMixed ? world.ledger.runsByShare : [:]
        machine.polled(facts, shares: shares, quiet: quiet, at: moment)
        perform()
    }
}
