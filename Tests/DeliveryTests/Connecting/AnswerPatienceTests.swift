import Delivery
import Testing

@Suite struct AnswerPatienceTests {
    private var patience = AnswerPatience(.seconds(5))

    @Test mutating func `it ends when nothing is answered for its time, and not while nothing was asked`() {
        #expect(patience.end == nil && !patience.isOver(now: .seconds(100)))
        patience.asked(now: .seconds(1))
        patience.asked(now: .seconds(4))
        #expect(patience.end == .seconds(6))
        #expect(!patience.isOver(now: .milliseconds(5999)))
        #expect(patience.isOver(now: .seconds(6)))
    }

    @Test mutating func `any answer shows that the node answers, and what is left has its time from there`() {
        patience.asked(now: .seconds(1))
        patience.answered(awaitsMore: true, now: .seconds(5))
        #expect(patience.end == .seconds(10))
        patience.answered(awaitsMore: false, now: .seconds(6))
        #expect(patience.end == nil)
    }

    @Test mutating func `on another connection, and in an alarm, no answer is due`() {
        patience.asked(now: .seconds(1))
        patience.reset()
        #expect(!patience.isOver(now: .seconds(100)))
        patience.asked(now: .seconds(101))
        #expect(patience.end == .seconds(106))
    }
}
