import AMQP
import Campaigns
import Delivery
import Logging
import NIOCore
import Store

/// How runs end: settle, publish what follows, ack, in this order (design, section 7).
extension WorkDesk {
    func ended(_ over: FinishedRun, _ token: RunToken) {
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

    func checkIdle() {
        goOnAlone()
        if isIdle { onIdle?() }
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
                publish(children, of: shard, finish: running.ended(token.key, epoch: token.epoch))
            }
            progressed(token.key.campaign)
        }
    }

    private func publish(_ children: [ShardRecord], of parent: Shard, finish delivery: ShardDelivery?) {
        let shards = children.map { child in
            (record: child, body: encoded(child.shard(from: parent)))
        }
        publishAll(
            shards.map { shard in
                { [publisher] done in
                    publisher.publish(
                        shard.record,
                        body: shard.body,
                        lane: parent.lane,
                        expiresAt: parent.facts.expiresAt,
                        done
                    )
                }
            },
            keys: children.map { ($0.id.key, $0.generation) }
        ) { [self] in acknowledge(delivery) }
    }

    private func encoded(_ shard: Shard) -> [UInt8] {
        do { return try shard.encoded() } catch { preconditionFailure("\(shard.id) cannot be encoded: \(error)") }
    }

    /// Publishes, marks what was confirmed, and then goes on: what was not confirmed is the sweeper's.
    private func publishAll(
        _ publishes: [(@escaping (Bool) -> Void) -> Void],
        keys: [(ShardKey, UInt32)],
        then: @escaping () -> Void
    ) {
        guard !publishes.isEmpty else {
            then()
            return checkIdle()
        }
        pending += 1
        let result = PublishTally(count: publishes.count)
        for (index, publish) in publishes.enumerated() {
            publish { [self] isConfirmed in
                if isConfirmed { result.confirmed.append(keys[index]) }
                result.left -= 1
                guard result.left == 0 else { return }
                pending -= 1
                let confirmed = result.confirmed
                let now = ledger.now()
                write(.normal, "confirms", haste: .withOthers, reach: .shards) {
                    try $0.markOut(confirmed.map { (key: $0.0, generation: $0.1) }, now: now)
                } then: { _ in
                }
                then()
                checkIdle()
            }
        }
    }

    /// The retry shards of a settled shard whose confirms were lost.
    func publishLeft(_ shards: [ShardToPublish], _ delivery: ShardDelivery) {
        publishAll(
            shards.map { shard in { [publisher] done in publisher.publish(shard, done) } },
            keys: shards.map { ($0.record.id.key, $0.record.generation) }
        ) { [self] in acknowledge(delivery) }
    }

    /// The run's writes are over: acks the delivery that it has, if any.
    private func finish(_ token: RunToken) {
        acknowledge(running.ended(token.key, epoch: token.epoch))
        checkIdle()
    }

    private func acknowledge(_ delivery: ShardDelivery?) {
        if let delivery { ack(delivery) }
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
            let delivery = running.ended(token.key, epoch: token.epoch)
            if case .aside(let record) = result, record.state == .unpublished {
                republish(shard, record, delivery)
            } else {
                acknowledge(delivery)
            }
            checkIdle()
        }
    }

    /// A shard that is handed over is published at once, straight to its lane.
    private func republish(_ shard: Shard, _ record: ShardRecord, _ delivery: ShardDelivery?) {
        var next = shard
        next.generation = record.generation
        let body = encoded(next)
        publishAll(
            [
                { [publisher] done in
                    publisher.publish(
                        record,
                        body: body,
                        lane: next.lane,
                        expiresAt: next.facts.expiresAt,
                        done
                    )
                }
            ],
            keys: [(record.id.key, record.generation)]
        ) { [self] in acknowledge(delivery) }
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
