public import Campaigns

/// Claims and the consequences of their answers.
extension WorkerShards {
    mutating func follow(
        _ arrival: RunningShards.Arrival,
        _ shard: Shard,
        _ delivery: ShardDelivery,
        at now: Moment
    ) {
        let key = shard.id.key
        switch arrival {
        case .gone: return
        case .secondCopy: ack(delivery)
        case .wait: waiting[Copy(key: key, delivery: delivery)] = shard
        case .claim(let adopting):
            stop(key, .leaseLost)
            claimed[key] = shard
            act(.claim(order(shard, delivery, adopting: adopting, at: now)))
        }
    }

    private func order(_ shard: Shard, _ delivery: ShardDelivery, adopting: UInt32?, at now: Moment) -> Order {
        Order(
            shard: shard,
            delivery: delivery,
            adopting: adopting,
            isAlone: quarantine.alone == shard.id.key,
            overdue: overdue(shard, at: now),
            judgesSilence: reportSeries.judgesSilence(now: now.instant)
        )
    }

    /// Makes a claim again that the ledger did not take.
    ///
    /// It uses the present knowledge: while the ledger was stuck everybody was silent, and that makes nobody dead.
    public mutating func claimFailed(_ failed: Order, at now: Moment) {
        act(.claim(order(failed.shard, failed.delivery, adopting: failed.adopting, at: now)))
    }

    /// Takes the ledger's answer to the claim in progress.
    public mutating func claimAnswered(_ key: ShardKey, _ answer: Answer, at now: Moment) {
        guard let shard = claimed.removeValue(forKey: key) else { preconditionFailure("no claim of \(key) is out") }
        if answer.decision != .waits { held.answered(key) }
        let (conclusion, rest) = running.concluded(
            key,
            epoch: answer.decision == .run ? answer.record?.epoch : nil,
            waits: answer.decision == .waits,
            endChanges: answer.campaign?.endChanges ?? 0,
            now: now.shared
        )
        conclude(conclusion, answer, shard, now)
        for (delivery, arrival) in rest {
            guard let copy = waiting.removeValue(forKey: Copy(key: key, delivery: delivery)) else { continue }
            follow(arrival, copy, delivery, at: now)
        }
        goOnAlone(at: now)
    }

    private mutating func conclude(
        _ conclusion: RunningShards.Conclusion,
        _ answer: Answer,
        _ shard: Shard,
        _ now: Moment
    ) {
        let key = shard.id.key
        switch conclusion {
        case .start(let replaced):
            ack(replaced)
            endedWhileAdopting.remove(key)
            begin(shard, answer)
            if let reason = running.startStop(key) { stop(key, reason) }
        case .adopt: adopt(shard, answer)
        case .hold(let delivery):
            endReplaced(key)
            hold(shard, delivery, epoch: answer.record?.epoch ?? 0, at: now)
        case .giveUp(let epoch):
            endReplaced(key)
            act(.giveUp(key, epoch: epoch))
        case .gone: endReplaced(key)
        case .ack(let delivery):
            endReplaced(key)
            switch answer.decision {
            case .park(let reason), .quarantine(let reason): act(.park(shard, delivery, reason: reason))
            case .runAlone: quarantine.add(Quarantine.Held(shard, delivery))
            case .settledAlready, .setAside(.handOver): act(.publish(thenAck: delivery))
            case .drop, .end, .setAside, .run, .waits: ack(delivery)
            }
        }
    }

    private mutating func adopt(_ shard: Shard, _ answer: Answer) {
        let key = shard.id.key
        guard let record = answer.record, let loop = loopOf[key] else {
            preconditionFailure("\(shard.id) goes on without a row or a loop")
        }
        act(.adopt(key, epoch: record.epoch, isLeaseLost: running.isLeaseLost(key), loop: loop))
        if running.isWornOut(key) { stop(key, .setAside(.handOver)) }
        endReplaced(key)
    }

    private mutating func begin(_ shard: Shard, _ answer: Answer) {
        guard let record = answer.record else { preconditionFailure("\(shard.id) runs without a row") }
        var current = shard
        if let end = answer.newEnd { current.facts.expiresAt = end }
        start(current, record, campaign: answer.campaign)
    }

    /// Takes over a run that ended before a claim's answer decided about it.
    private mutating func endReplaced(_ key: ShardKey) {
        if endedWhileAdopting.remove(key) != nil { runIsOver(key) }
    }
}
