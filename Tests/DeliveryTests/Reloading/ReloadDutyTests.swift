import Campaigns
import Delivery
import Testing

/// The orders that a worker reads its files for, and those that a reading answers.
@Suite struct ReloadDutyTests {
    private func order(_ number: Int64, _ secondsAgo: Int64 = 0) -> ReloadOrder {
        ReloadOrder(number: number, at: Fixtures.after(-secondsAgo), by: "ada")
    }

    @Test func `an order has the files read once, however often it is seen, and a later one once more`() {
        var duty = ReloadDuty(newest: nil, filesReadAt: Fixtures.now)
        #expect(duty.answerable == 0)
        #expect([duty.polled(nil), duty.polled(order(3)), duty.polled(order(3))] == [false, true, false])
        #expect(duty.answerable == 3)
        #expect([duty.polled(order(5)), duty.polled(order(5)), duty.polled(order(4))] == [true, false, false])
        #expect(duty.answerable == 5)
    }

    @Test func `a start answers the order before its reading, and reads again for one that came meanwhile`() {
        var before = ReloadDuty(newest: order(7, 1), filesReadAt: Fixtures.now)
        #expect(before.answerable == 7)
        #expect([before.polled(order(7, 1))] == [false])
        // In the same millisecond it may have come after the reading.
        var meanwhile = ReloadDuty(newest: order(7), filesReadAt: Fixtures.now)
        #expect(meanwhile.answerable == 6)
        #expect([meanwhile.polled(order(7))] == [true])
    }
}
