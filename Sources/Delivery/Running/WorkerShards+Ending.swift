public import Campaigns

/// The end of runs: written, published, acked, in this order (design, section 7).
extension WorkerShards {
    /// Takes over a run without open streams that opens no more, unless a claim that may adopt it is in progress.
    public mutating func runIsOver(_ key: ShardKey) {
        if running.isAdopting(key) {
            endedWhileAdopting.insert(key)
            return
        }
        guard let loop = loopOf[key], takingOver[key] == nil else { return }
        takingOver[key] = []
        act(.takeOver(key, loop: loop))
    }

    /// Notes that the loop gave up the run of this epoch; nil if the run continues, because it was adopted meanwhile.
    public mutating func tookOver(_ key: ShardKey, epoch: UInt32?, at now: Moment) {
        let late = takingOver.removeValue(forKey: key) ?? []
        if let epoch {
            endingOn[RunID(key: key, epoch: epoch)] = loopOf.removeValue(forKey: key)
            act(.write(key, epoch: epoch))
        }
        for copy in late { delivered(copy.shard, copy.delivery, at: now) }
    }

    /// Notes that the ledger has the end of a run, or rejected it because another worker claimed the shard.
    ///
    /// `publishes`: true if new rows follow from it, whose messages are published before the ack.
    public mutating func ended(_ key: ShardKey, epoch: UInt32, publishes: Bool = false, at now: Moment) {
        if let loop = endingOn.removeValue(forKey: RunID(key: key, epoch: epoch)) {
            act(.endCommitted(key, epoch: epoch, loop: loop))
        }
        let delivery = running.ended(key, epoch: epoch)
        if publishes { act(.publish(thenAck: delivery)) } else { ack(delivery) }
        goOnAlone(at: now)
    }

    /// Notes that the publishes before this delivery's ack are confirmed, or lost.
    public mutating func published(_ delivery: ShardDelivery?) {
        ack(delivery)
    }

    /// Continues with quarantined shards, and with what waited for them, once the former runs have ended.
    mutating func goOnAlone(at now: Moment) {
        guard let step = quarantine.next(running) else { return }
        switch step {
        case .goOn(let held):
            for held in held {
                if let record = held.claimed {
                    accepted(held.shard, record, held.delivery, at: now)
                } else {
                    delivered(held.shard, held.delivery, at: now)
                }
            }
        case .runAlone(let held):
            follow(running.arrived(held.shard.id.key, held.delivery), held.shard, held.delivery, at: now)
        }
    }
}
