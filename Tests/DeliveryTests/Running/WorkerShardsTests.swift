import Campaigns
import Testing

@testable import Delivery

/// Facts and actions of a worker's shards, in their order.
@Suite struct WorkerShardsTests {
    private var shards = WorkerShards(
        WorkerShards.Setting(prefetch: { _ in 4 }, streamDeadline: { _ in .seconds(10) })
    )
    private let key = Fixtures.key

    init() {
        shards.connected(1, at: Self.at(0))
    }

    private static func at(_ seconds: Int64) -> WorkerShards.Moment {
        WorkerShards.Moment(Fixtures.after(seconds), MonotonicInstant(nanoseconds: seconds * 1_000_000_000))
    }

    private var now: WorkerShards.Moment { Self.at(0) }

    private func shard(_ ordinal: UInt32 = 0) -> Shard {
        var shard = Fixtures.shard()
        shard.id = ShardID(key: ShardKey(campaign: 1, part: 0, ordinal: ordinal))
        return shard
    }

    private func delivery(
        _ tag: UInt64,
        connection: UInt64 = 1,
        redelivered: Bool = false,
        of queue: String? = nil,
        returns: Int = 0
    ) -> ShardDelivery {
        ShardDelivery(
            connection: connection,
            tag: tag,
            generation: 1,
            redelivered: redelivered,
            campaignQueue: queue,
            returns: returns
        )
    }

    private func order(
        _ delivery: ShardDelivery,
        adopting: UInt32? = nil,
        of shard: Shard? = nil
    ) -> WorkerShards.Action {
        .claim(
            WorkerShards.Order(
                shard: shard ?? self.shard(),
                delivery: delivery,
                adopting: adopting,
                isAlone: false,
                overdue: nil,
                judgesSilence: false
            )
        )
    }

    private func granted(_ epoch: UInt32, _ shard: Shard? = nil) -> WorkerShards.Answer {
        var row = Fixtures.row(.running, epoch: epoch)
        if let shard { row.id = shard.id }
        return WorkerShards.Answer(.run, record: row, campaign: Fixtures.campaign())
    }

    private mutating func taken() -> [WorkerShards.Action] {
        var actions: [WorkerShards.Action] = []
        shards.take(&actions)
        return actions
    }

    /// Returns the kinds of actions, where other tests check them in full.
    private mutating func kinds() -> [String] {
        taken().map { String("\($0)".prefix { $0 != "(" }) }
    }

    /// Starts a run of the shard on loop 0, by message 1 and with epoch 1.
    private mutating func run() {
        shards.delivered(shard(), delivery(1), at: now)
        shards.claimAnswered(key, granted(1), at: now)
        _ = taken()
    }

    @Test mutating func `a shard is claimed, started, taken over, written and acked, in this order`() {
        shards.delivered(shard(), delivery(1), at: now)
        #expect(taken() == [order(delivery(1))])
        shards.claimAnswered(key, granted(1), at: now)
        guard case .start(let start) = taken().first else { return #expect(Bool(false), "not started") }
        #expect(start.shard == shard() && start.record.epoch == 1 && start.loop == 0)
        shards.runIsOver(key)
        #expect(taken() == [.takeOver(key, loop: 0)])
        shards.tookOver(key, epoch: 1, at: now)
        #expect(taken() == [.write(key, epoch: 1)])
        #expect(shards.count == 1)
        shards.ended(key, epoch: 1, at: now)
        #expect(taken() == [.endCommitted(key, epoch: 1, loop: 0), .ack(delivery(1))])
        #expect(shards.count == 0)
    }

    @Test mutating func `what follows from a shard is published before its message is acked`() {
        run()
        shards.runIsOver(key)
        shards.tookOver(key, epoch: 1, at: now)
        _ = taken()
        shards.ended(key, epoch: 1, publishes: true, at: now)
        #expect(taken() == [.endCommitted(key, epoch: 1, loop: 0), .publish(thenAck: delivery(1))])
        shards.published(delivery(1))
        #expect(taken() == [.ack(delivery(1))])
    }

    @Test mutating func `a run whose message came back goes on under the epoch of its new claim`() {
        run()
        shards.disconnected()
        #expect(taken() == [.stop(key, .leaseLost, loop: 0)])
        shards.connected(2, at: now)
        let back = delivery(7, connection: 2, redelivered: true)
        shards.delivered(shard(), back, at: now)
        #expect(taken() == [.stop(key, .leaseLost, loop: 0), order(back, adopting: 1)])
        shards.claimAnswered(key, granted(2), at: now)
        #expect(taken() == [.adopt(key, epoch: 2, isLeaseLost: false, loop: 0)])
    }

    @Test mutating func `a run whose message came back too often waits for its answers and is handed over`() {
        run()
        shards.disconnected()
        shards.connected(2, at: now)
        shards.delivered(shard(), delivery(7, connection: 2, redelivered: true, returns: 5), at: now)
        _ = taken()
        shards.claimAnswered(key, granted(2), at: now)
        let adopted = WorkerShards.Action.adopt(key, epoch: 2, isLeaseLost: false, loop: 0)
        #expect(taken() == [adopted, .stop(key, .setAside(.handOver), loop: 0)])
    }

    @Test mutating func `a run that ends while it may be adopted is taken over after the answer, whatever that is`() {
        for decision in [Claim.Decision.run, .end(.cancelled), .waits] {
            var copy = self
            copy.run()
            copy.shards.disconnected()
            copy.shards.connected(2, at: now)
            copy.shards.delivered(shard(), delivery(7, connection: 2, redelivered: true), at: now)
            _ = copy.taken()
            copy.shards.runIsOver(key)
            #expect(copy.taken() == [])
            let answer = WorkerShards.Answer(
                decision,
                record: Fixtures.row(.running, epoch: decision == .run ? 2 : 1),
                campaign: Fixtures.campaign()
            )
            copy.shards.claimAnswered(key, answer, at: now)
            #expect(copy.taken().contains(.takeOver(key, loop: 0)), "\(decision)")
        }
    }

    @Test mutating func `a message that comes back is claimed once the ledger has the end of its former run`() {
        run()
        shards.disconnected()
        shards.connected(2, at: now)
        _ = taken()
        shards.runIsOver(key)
        #expect(taken() == [.takeOver(key, loop: 0)])
        let back = delivery(7, connection: 2, redelivered: true)
        let second = delivery(8, connection: 2, redelivered: true)
        shards.delivered(shard(), back, at: now)
        shards.tookOver(key, epoch: 1, at: now)
        // The ledger has no room for a while.
        shards.delivered(shard(), second, at: now)
        #expect(taken() == [.write(key, epoch: 1)])
        shards.ended(key, epoch: 1, at: now)
        #expect(taken() == [.endCommitted(key, epoch: 1, loop: 0), order(back)])
        shards.claimAnswered(key, granted(2), at: now)
        #expect(kinds() == ["start", "ack"])
    }

    @Test mutating func `a message that comes while its run goes on after all is claimed to continue it`() {
        run()
        shards.disconnected()
        shards.connected(2, at: now)
        shards.runIsOver(key)
        _ = taken()
        let back = delivery(7, connection: 2, redelivered: true)
        shards.delivered(shard(), back, at: now)
        shards.tookOver(key, epoch: nil, at: now)
        #expect(taken() == [.stop(key, .leaseLost, loop: 0), order(back, adopting: 1)])
    }

    @Test mutating func `a lost connection takes back the messages that came while a run was taken over`() {
        run()
        shards.disconnected()
        shards.connected(2, at: now)
        shards.runIsOver(key)
        shards.delivered(shard(), delivery(7, connection: 2, redelivered: true), at: now)
        shards.disconnected()
        _ = taken()
        shards.tookOver(key, epoch: 1, at: now)
        #expect(taken() == [.write(key, epoch: 1)])
        shards.ended(key, epoch: 1, at: now)
        #expect(taken() == [.endCommitted(key, epoch: 1, loop: 0)])
    }

    @Test mutating func `a take-over that finds the run going on writes nothing`() {
        run()
        shards.runIsOver(key)
        _ = taken()
        shards.tookOver(key, epoch: nil, at: now)
        #expect(taken() == [])
        shards.runIsOver(key)
        #expect(taken() == [.takeOver(key, loop: 0)])
    }

    @Test mutating func `further copies wait for the claim, and the one that is not needed is acked`() {
        shards.delivered(shard(), delivery(1), at: now)
        shards.delivered(shard(), delivery(2), at: now)
        #expect(taken() == [order(delivery(1))])
        shards.claimAnswered(key, granted(1), at: now)
        #expect(kinds() == ["start", "ack"])
    }

    @Test mutating func `a claim that is granted without its connection is given up`() {
        shards.delivered(shard(), delivery(1), at: now)
        shards.disconnected()
        _ = taken()
        shards.claimAnswered(key, granted(4), at: now)
        #expect(taken() == [.giveUp(key, epoch: 4)])
    }

    @Test mutating func `the message of an urgent campaign is acked with the last of its shards`() {
        let lease = delivery(1, of: BrokerNames.urgentCampaignsQueue)
        shards.leased(lease, shards: 2)
        for ordinal in 0..<2 as Range<UInt32> {
            var row = Fixtures.row(.running)
            row.id = shard(ordinal).id
            shards.accepted(shard(ordinal), row, lease, at: now)
        }
        #expect(kinds() == ["start", "start"])
        for ordinal in 0..<2 as Range<UInt32> {
            let key = shard(ordinal).id.key
            shards.runIsOver(key)
            shards.tookOver(key, epoch: 1, at: now)
            _ = taken()
            shards.ended(key, epoch: 1, at: now)
            let committed = WorkerShards.Action.endCommitted(key, epoch: 1, loop: Int(ordinal))
            #expect(taken() == (ordinal == 0 ? [committed] : [committed, .ack(lease)]))
        }
    }

    @Test mutating func `a shard of a lost urgent message does not begin`() {
        shards.disconnected()
        shards.accepted(shard(), Fixtures.row(.running, epoch: 3), delivery(1), at: now)
        #expect(taken() == [.giveUp(key, epoch: 3)])
    }

    @Test mutating func `what waits for a former run is asked for again, and its queue consumed once more`() {
        let waits = WorkerShards.Answer(.waits, record: Fixtures.row(.running, epoch: 4), campaign: Fixtures.campaign())
        for ordinal in 0..<2 as Range<UInt32> {
            shards.delivered(shard(ordinal), delivery(UInt64(ordinal), redelivered: true), at: now)
            shards.claimAnswered(shard(ordinal).id.key, waits, at: now)
        }
        #expect(kinds() == ["claim", "wake", "claim", "widen"])
        #expect(shards.heldCount == 2 && shards.count == 0)
        shards.woke(at: Self.at(1))
        #expect(kinds() == ["claim", "claim"])
        // So late that no stream of the former run is open any more.
        for ordinal in 0..<2 as Range<UInt32> { shards.claimAnswered(shard(ordinal).id.key, waits, at: Self.at(1)) }
        _ = taken()
        shards.woke(at: Self.at(15))
        guard case .claim(let order) = taken().first else { return #expect(Bool(false), "not claimed") }
        #expect(order.overdue == 4)
    }

    @Test mutating func `a claim that failed judges silence by what is known when it is made again`() {
        for second in stride(from: 0 as Int64, through: 6, by: 2) { shards.reported(at: Self.at(second)) }
        shards.delivered(shard(), delivery(1), at: Self.at(6))
        guard case .claim(let failed)? = taken().first else { return #expect(Bool(false), "nothing is claimed") }
        #expect(failed.judgesSilence)
        // The ledger was away for twenty seconds.
        shards.claimFailed(failed, at: Self.at(26))
        #expect(taken() == [order(delivery(1))])
        shards.claimAnswered(key, granted(1), at: Self.at(26))
        #expect(shards.campaigns == [1])
    }

    @Test mutating func `silence is judged by who has reported for long enough`() {
        for second in stride(from: 0 as Int64, through: 6, by: 2) { shards.reported(at: Self.at(second)) }
        shards.delivered(shard(), delivery(1), at: Self.at(6))
        guard case .claim(let order) = taken().first else { return #expect(Bool(false), "not claimed") }
        #expect(order.judgesSilence)
    }

    @Test mutating func `a shard that is to run alone runs when nothing else does, and what came meanwhile after it`() {
        run()
        let alone = shard(1)
        shards.delivered(alone, delivery(2, redelivered: true), at: now)
        let answer = WorkerShards.Answer(.runAlone, record: Fixtures.row(.running), campaign: Fixtures.campaign())
        shards.claimAnswered(alone.id.key, answer, at: now)
        shards.delivered(shard(2), delivery(3), at: now)
        #expect(kinds() == ["claim"])
        shards.runIsOver(key)
        shards.tookOver(key, epoch: 1, at: now)
        shards.ended(key, epoch: 1, at: now)
        let first = taken()
        guard case .claim(let order) = first.last else { return #expect(Bool(false), "not claimed alone") }
        #expect(order.shard == alone && order.isAlone)
        shards.claimAnswered(alone.id.key, granted(5, alone), at: now)
        shards.runIsOver(alone.id.key)
        shards.tookOver(alone.id.key, epoch: 5, at: now)
        _ = taken()
        shards.ended(alone.id.key, epoch: 5, at: now)
        let committed = WorkerShards.Action.endCommitted(alone.id.key, epoch: 5, loop: 1)
        let acked = WorkerShards.Action.ack(delivery(2, redelivered: true))
        #expect(taken() == [committed, acked, self.order(delivery(3), of: shard(2))])
    }

    @Test mutating func `a worker that stops hands over what runs, and what was being claimed as well`() {
        run()
        shards.delivered(shard(1), delivery(2), at: now)
        _ = taken()
        shards.handOverAll()
        #expect(taken() == [.stop(key, .setAside(.handOver), loop: 0)])
        shards.claimAnswered(shard(1).id.key, granted(1, shard(1)), at: now)
        #expect(kinds() == ["start", "stop"])
        // Waiting messages return to the broker with the connection.
        shards.delivered(shard(2), delivery(3, redelivered: true), at: now)
        let waits = WorkerShards.Answer(.waits, record: Fixtures.row(.running), campaign: Fixtures.campaign())
        shards.claimAnswered(shard(2).id.key, waits, at: now)
        #expect(kinds() == ["claim"])
        #expect(shards.heldCount == 0)
    }

    @Test mutating func `a poll stops what runs, and says which runs of a superseded campaign are to be told of`() {
        run()
        var superseded = Fixtures.campaign()
        superseded.supersededBy = 2
        shards.polled([superseded], shares: [:], quiet: [], at: now)
        #expect(taken() == [.stop(key, .end(.superseded), loop: 0), .tellStopped([key])])
    }

    @Test mutating func `a shard whose message is renewed is published before the old one is acked`() {
        shards.delivered(shard(), delivery(1, redelivered: true), at: now)
        let answer = WorkerShards.Answer(
            .setAside(.handOver),
            record: Fixtures.row(.unpublished),
            campaign: Fixtures.campaign()
        )
        shards.claimAnswered(key, answer, at: now)
        #expect(taken().last == .publish(thenAck: delivery(1, redelivered: true)))
        shards.published(delivery(1, redelivered: true))
        #expect(taken() == [.ack(delivery(1, redelivered: true))])
    }

    @Test mutating func `a shard that nobody knows is parked before its message is acked`() {
        shards.delivered(shard(), delivery(1), at: now)
        let answer = WorkerShards.Answer(.park(reason: "UnknownCampaign"), record: nil, campaign: nil)
        shards.claimAnswered(key, answer, at: now)
        #expect(taken().last == .park(shard(), delivery(1), reason: "UnknownCampaign"))
        shards.published(delivery(1))
        #expect(taken() == [.ack(delivery(1))])
    }
}
