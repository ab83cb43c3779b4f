public import Campaigns

/// The end of runs: written, published, acked, in this order (design, section 7).
extension WorkerShards {
    /// Takes over a run without open streams that opens no more, unless a claim that may adopt it is in progress.
    public mutating func runIsOver(_ key: ShardKey) {
        if running.isAdopting(key) {
            endedWhileAdopting.insert(key)
            return
        }
        guard let loop = loopOf[key], ending[key] == nil else { return }
        ending[key] = Ending(loop: loop)
        act(.takeOver(key, loop: loop))
    }

    /// Notes that the loop gave up the run of this epoch; nil if the run continues, because it was adopted meanwhile.
    public mutating func tookOver(_ key: ShardKey, epoch: UInt32?, at now: Moment) {
        guard let epoch else { return claimLate(ending.removeValue(forKey: key), at: now) }
        loopOf[key] = nil
        ending[key]?.epoch = epoch
        act(.write(key, epoch: epoch))
    }

    /// Notes that the ledger has the end of a run, or rejected it because another worker claimed the shard.
    ///
    /// `publishes`: true if new rows follow from it, whose messages are published before the ack.
    public mutating func ended(_ key: ShardKey, epoch: UInt32, publishes: Bool = false, at now: Moment) {
        let over = ending[key]?.epoch == epoch ? ending.removeValue(forKey: key) : nil
        if let over { act(.endCommitted(key, epoch: epoch, loop: over.loop)) }
        let delivery = running.ended(key, epoch: epoch)
        if publishes { act(.publish(thenAck: delivery)) } else { ack(delivery) }
        claimLate(over, at: now)
        goOnAlone(at: now)
    }

    /// Takes the deliveries that came while a run was on its way to the ledger.
    private mutating func claimLate(_ over: Ending?, at now: Moment) {
        for late in over?.late ?? [] { delivered(late.shard, late.delivery, at: now) }
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
