import Campaigns
import Delivery
import Testing

@Suite struct HeldDeliveriesTests {
    private var held = HeldDeliveries()

    private func at(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    }

    private func message(_ tag: UInt64, queue: String = "work") -> HeldDeliveries.Held {
        let delivery = ShardDelivery(connection: 1, tag: tag, generation: 1, redelivered: true)
        return HeldDeliveries.Held(Fixtures.shard(), delivery, queue: queue)
    }

    @Test mutating func `a delivery is asked for every half second, and held in between`() {
        #expect(held.nextAt == nil)
        held.hold(message(1), epoch: 4, now: at(0))
        held.hold(message(2), epoch: 4, now: at(100))
        #expect(held.nextAt == at(500))
        #expect(held.due(now: at(499)) == [])
        #expect(held.due(now: at(500)) == [message(1)])
        #expect(held.count == 1)
        held.hold(message(1), epoch: 4, now: at(510))
        #expect(held.due(now: at(1_010)) == [message(2), message(1)])
        #expect(held.nextAt == nil)
    }

    @Test mutating func `what was waited counts from the first time, also over lost connections`() {
        let key = Fixtures.key
        #expect(held.overdue(key, streamDeadline: .seconds(10), now: at(0)) == nil)
        held.hold(message(1), epoch: 4, now: at(0))
        held.release()
        #expect(held.count == 0)
        #expect(held.due(now: at(9_000)) == [])
        held.hold(message(7), epoch: 4, now: at(9_000))
        #expect(held.overdue(key, streamDeadline: .seconds(10), now: at(14_999)) == nil)
        #expect(held.overdue(key, streamDeadline: .seconds(10), now: at(15_000)) == 4)
        #expect(held.overdue(key, streamDeadline: .seconds(15), now: at(19_999)) == nil)
        // The wait for another run begins anew.
        held.hold(message(8), epoch: 5, now: at(16_000))
        #expect(held.overdue(key, streamDeadline: .seconds(10), now: at(16_000)) == nil)
        held.answered(key)
        #expect(held.overdue(key, streamDeadline: .seconds(10), now: at(60_000)) == nil)
    }

    @Test mutating func `what is waited for no more is forgotten`() {
        held.hold(message(1), epoch: 4, now: at(0))
        held.release()
        _ = held.due(now: at(61_000))
        #expect(held.overdue(Fixtures.key, streamDeadline: .seconds(10), now: at(61_000)) == nil)
    }

    @Test mutating func `held deliveries do not use up the prefetch, and a queue's is not given without end`() {
        var given = 0
        for tag in 1...40 as ClosedRange<UInt64> {
            held.hold(message(tag), epoch: 4, now: at(0))
            if held.needsRoom(in: "work", prefetch: 8) {
                // Half of the last prefetch is free.
                #expect(Int(tag) == given * 8 + 4)
                given += 1
            }
        }
        #expect(given == HeldDeliveries.roomsMax)
        // The shards of one urgent campaign share its message.
        for _ in 1...40 { held.hold(message(41, queue: "urgent"), epoch: 4, now: at(0)) }
        #expect(held.needsRoom(in: "urgent", prefetch: 4) == false)
        held.release()
        for tag in 1...4 as ClosedRange<UInt64> { held.hold(message(tag), epoch: 4, now: at(0)) }
        #expect(held.needsRoom(in: "work", prefetch: 8) == true)
    }
}
