import Campaigns
import Delivery
import Testing

@Suite struct QuarantineTests {
    private var quarantine = Quarantine()
    private var running = RunningShards()

    init() {
        running.connected(1)
    }

    /// Returns a shard with its message; the number is that of both.
    private func held(_ number: UInt32, claimed: Bool = false) -> Quarantine.Held {
        var shard = Fixtures.shard()
        shard.id = ShardID(key: ShardKey(campaign: 1, part: 0, ordinal: number))
        let delivery = ShardDelivery(connection: 1, tag: UInt64(number), generation: 1, redelivered: false)
        return Quarantine.Held(shard, delivery, claimed: claimed ? Fixtures.row(.running) : nil)
    }

    private mutating func claim(_ held: Quarantine.Held) {
        #expect(running.arrived(held.shard.id.key, held.delivery) == .claim(adopting: nil))
    }

    private mutating func run(_ held: Quarantine.Held) {
        claim(held)
        #expect(running.concluded(held.shard.id.key, epoch: 1, now: Fixtures.now).0 == .start(replaces: nil))
    }

    private mutating func end(_ held: Quarantine.Held) {
        #expect(running.ended(held.shard.id.key, epoch: 1) == held.delivery)
    }

    @Test mutating func `without a shard that is to run alone nobody waits`() {
        #expect(!quarantine.isOn)
        #expect(quarantine.next(running) == nil)
    }

    @Test mutating func `it runs when nothing else does, and what came meanwhile goes on after it`() {
        run(held(1))
        quarantine.add(held(7))
        #expect(quarantine.isOn && quarantine.alone == nil)
        #expect(quarantine.next(running) == nil)
        quarantine.hold(held(2))
        // An urgent campaign's shard, which is claimed already.
        quarantine.hold(held(3, claimed: true))
        end(held(1))
        #expect(quarantine.next(running) == .runAlone(held(7)))
        #expect(quarantine.alone == held(7).shard.id.key)
        run(held(7))
        #expect(quarantine.next(running) == nil && quarantine.isOn)
        end(held(7))
        #expect(quarantine.next(running) == .goOn([held(2), held(3, claimed: true)]))
        #expect(!quarantine.isOn && quarantine.alone == nil)
        #expect(quarantine.next(running) == nil)
    }

    @Test mutating func `several run one after the other, and the others wait for all of them`() {
        quarantine.add(held(7))
        quarantine.add(held(8))
        quarantine.hold(held(1))
        #expect(quarantine.next(running) == .runAlone(held(7)))
        run(held(7))
        #expect(quarantine.next(running) == nil)
        end(held(7))
        #expect(quarantine.next(running) == .runAlone(held(8)))
        run(held(8))
        end(held(8))
        #expect(quarantine.next(running) == .goOn([held(1)]))
    }

    @Test mutating func `a claim is alone as well, and one that does not run makes room`() {
        quarantine.add(held(7))
        #expect(quarantine.next(running) == .runAlone(held(7)))
        claim(held(7))
        #expect(quarantine.next(running) == nil)
        // Parked, dropped or ended: whatever the ledger answered.
        #expect(running.concluded(held(7).shard.id.key, epoch: nil, now: Fixtures.now).0 == .ack(held(7).delivery))
        #expect(quarantine.next(running) == .goOn([]))
        #expect(!quarantine.isOn)
    }

    @Test mutating func `a claim that says alone once more is asked again`() {
        quarantine.add(held(7))
        #expect(quarantine.next(running) == .runAlone(held(7)))
        quarantine.add(held(7))
        #expect(quarantine.alone == nil && quarantine.isOn)
        #expect(quarantine.next(running) == .runAlone(held(7)))
    }

    @Test mutating func `without a connection nothing is held, and what runs alone stays alone to its end`() {
        quarantine.add(held(7))
        #expect(quarantine.next(running) == .runAlone(held(7)))
        run(held(7))
        quarantine.add(held(8))
        quarantine.hold(held(1))
        _ = running.disconnected()
        #expect(quarantine.disconnected(running) == [])
        #expect(quarantine.isOn && quarantine.alone == held(7).shard.id.key)
        running.connected(2)
        var back = held(1)
        back.delivery.connection = 2
        quarantine.hold(back)
        #expect(quarantine.next(running) == nil)
        #expect(running.ended(held(7).shard.id.key, epoch: 1) == nil)
        #expect(quarantine.next(running) == .goOn([back]))
    }

    @Test mutating func `rows that were claimed and have not begun are given up with the connection`() {
        quarantine.add(held(7))
        var claimed = held(1)
        claimed.claimed = Fixtures.row(.running)
        quarantine.hold(claimed)
        quarantine.hold(held(2))
        _ = running.disconnected()
        #expect(quarantine.disconnected(running) == [Fixtures.row(.running)])
    }

    @Test mutating func `one that waits for its turn comes back with its message`() {
        run(held(1))
        quarantine.add(held(7))
        _ = running.disconnected()
        #expect(quarantine.disconnected(running) == [])
        #expect(!quarantine.isOn)
        #expect(quarantine.next(running) == nil)
    }
}
