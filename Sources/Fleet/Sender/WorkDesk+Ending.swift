import AMQP
import Campaigns
import Delivery
import Logging
import NIOCore
import Store

/// How runs end: settle, publish what follows, ack, in this order (design, section 7).
extension WorkDesk {
    func ended(_ over: LoopRuns.Finished, _ token: RunToken) {
        let shard = over.shard
        switch over.end {
        case .settle(let settlement): settle(settlement, shard, token, over.probe)
        case .setAside(let reason, let progress): setAside(reason, progress, shard, token, over.probe)
        case .abandon(let progress): abandon(progress, token)
        case .violated:
            tally.ended(.violated)
            logger.critical("the law does not hold for a shard; it is parked", metadata: ["shard": "\(shard.id)"])
            parkRun(token)
        }
    }

    /// Writes to the ledger and comes back to this loop; while the ledger does not take it, it waits unacked.
    func write<Value: Sendable>(
        _ durability: Ledger.Durability,
        _ what: StaticString,
        haste: Ledger.Haste = .atOnce,
        reach: Ledger.Reach = .ledger,
        _ body: @escaping @Sendable (LedgerTransaction) throws -> Value,
        then: @escaping (Value) -> Void
    ) {
        pending += 1
        let bound = NIOLoopBound((self, then), eventLoop: loop)
        ledger.submit(durability, haste: haste, reach: reach, body) { [loop] result in
            loop.execute {
                let (desk, then) = bound.value
                desk.pending -= 1
                switch result {
                case .success(let value): then(value)
                case .failure(.closed): break
                case .failure(let error):
                    desk.logger.error("the ledger does not take \(what)", metadata: ["error": "\(error)"])
                    desk.pending += 1
                    desk.loop.assumeIsolated().scheduleTask(in: .seconds(1)) {
                        desk.pending -= 1
                        desk.write(durability, what, haste: haste, reach: reach, body, then: then)
                    }
                }
                desk.checkIdle()
            }
        }
    }

    // MARK: - Settled

    private func settle(
        _ settlement: Settlement,
        _ shard: Shard,
        _ token: RunToken,
        _ probe: Breaker.ProbeResult?
    ) {
        let now = ledger.now()
        write(.synced, "a settlement", haste: shard.lane.haste, reach: .shards) {
            let result = try $0.settle(token, settlement, now: now)
            if let probe, result != .fenced { try $0.endProbe(token.key, probe, now: now) }
            return result
        } then: { [self] result in
            defer { tracing?.forgot(token.key) }
            switch result {
            case .fenced:
                tally.ended(.fenced)
                finish(token)
            case .violated:
                tally.ended(.violated)
                logger.critical(
                    "a settlement has too few devices; its shard is parked",
                    metadata: ["shard": "\(shard.id)"]
                )
                finish(token)
            case .settled(let children):
                tally.settled(settlement, of: shard)
                tracing?.settled(shard, epoch: token.epoch, settlement, now: now)
                finish(token, publishing: children.map { OutgoingShard($0, $0.shard(from: shard)) })
            }
            progressed(token.key.campaign)
        }
    }

    /// Publishes, marks what was confirmed, and says so: what was not confirmed is the sweeper's.
    func publishAll(_ outgoing: [OutgoingShard], thenAck delivery: ShardDelivery?) {
        guard !outgoing.isEmpty else { return published(delivery) }
        pending += 1
        let result = PublishTally(count: outgoing.count)
        for shard in outgoing {
            shard.publish(to: publisher) { [self] isConfirmed in
                if isConfirmed { result.confirmed.append((shard.record.id.key, shard.record.generation)) }
                result.left -= 1
                guard result.left == 0 else { return }
                pending -= 1
                markOut(result.confirmed)
                published(delivery)
            }
        }
    }

    private func markOut(_ confirmed: [(key: ShardKey, generation: UInt32)]) {
        let now = ledger.now()
        write(.normal, "confirms", haste: .withOthers, reach: .shards) {
            try $0.markOut(confirmed, now: now)
        } then: { _ in
        }
    }

    func published(_ delivery: ShardDelivery?) {
        shards.published(delivery)
        perform()
    }

    /// The ledger has the run's end, or refuses it.
    private func finish(_ token: RunToken, publishing left: [OutgoingShard] = []) {
        shards.ended(token.key, epoch: token.epoch, publishes: !left.isEmpty, at: now)
        perform(left: left)
    }

    // MARK: - Not settled

    private func setAside(
        _ reason: AsideReason,
        _ progress: Progress,
        _ shard: Shard,
        _ token: RunToken,
        _ probe: Breaker.ProbeResult?
    ) {
        let now = ledger.now()
        tracing?.forgot(token.key)
        write(.synced, "a shard that is set aside", reach: .shards) {
            let result = try $0.setAside(token, reason: reason, progress: progress, now: now)
            if let probe, result != .fenced { try $0.endProbe(token.key, probe, now: now) }
            return result
        } then: { [self] result in
            tally.ended(result == .fenced ? .fenced : .setAside)
            var left: [OutgoingShard] = []
            // What is handed over is published at once, straight to its lane.
            if case .aside(let record) = result, record.state == .unpublished {
                var next = shard
                next.generation = record.generation
                left = [OutgoingShard(record, next)]
            }
            finish(token, publishing: left)
        }
    }

    private func abandon(_ progress: Progress, _ token: RunToken) {
        tracing?.forgot(token.key)
        write(.normal, "the last progress of a lost lease", reach: .shards) {
            try $0.abandon(token, progress)
        } then: { [self] _ in
            tally.ended(.leaseLost)
            finish(token)
        }
    }

    /// A row that this process has claimed and will not run: whoever gets its message need not wait for it.
    func giveUp(_ token: RunToken) {
        write(.normal, "a claim that is given up", reach: .shards) {
            try $0.giveUp(token)
        } then: { _ in
        }
    }

    private func parkRun(_ token: RunToken) {
        let now = ledger.now()
        tracing?.forgot(token.key)
        write(.synced, "a shard that is parked") {
            try $0.parkShard(token, reason: "LawViolated", now: now)
        } then: { [self] _ in
            finish(token)
        }
    }
}

extension Lane {
    /// Bulk shards share their commits; nothing urgent waits for company.
    var haste: Ledger.Haste { urgency == .urgent ? .atOnce : .withOthers }
}

/// Counts the confirms of one settlement's publishes.
private final class PublishTally {
    var left: Int
    var confirmed: [(ShardKey, UInt32)] = []

    init(count: Int) {
        left = count
    }
}
