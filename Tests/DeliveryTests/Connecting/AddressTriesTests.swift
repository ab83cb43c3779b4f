import Delivery
import Testing

@Suite struct AddressTriesTests {
    @Test func `one address has all the time, for its socket too`() {
        var tries = AddressTries(count: 1)
        #expect(tries.next(left: .seconds(10)) == .init(index: 0, whole: .seconds(10), socket: .seconds(10)))
        #expect(tries.next(left: .seconds(9)) == nil)
    }

    @Test func `each address has its share of what is left, and a silent one leaves the rest to the others`() {
        var tries = AddressTries(count: 3)
        #expect(tries.next(left: .seconds(9)) == .init(index: 0, whole: .seconds(3), socket: .seconds(2)))
        // The first one refused at once.
        #expect(tries.next(left: .seconds(9)) == .init(index: 1, whole: .milliseconds(4500), socket: .seconds(2)))
        // The second one was silent.
        let last = AddressTries.Try(index: 2, whole: .milliseconds(4500), socket: .milliseconds(4500))
        #expect(tries.next(left: .milliseconds(4500)) == last)
        #expect(tries.next(left: .seconds(1)) == nil)
    }

    @Test(arguments: 1...10)
    func `no address is tried twice, no more than four, and all of them end in time`(count: Int) {
        var tries = AddressTries(count: count)
        var left = Duration.seconds(10)
        var tried: [Int] = []
        while let next = tries.next(left: left) {
            #expect(next.socket <= next.whole && next.whole <= left)
            tried.append(next.index)
            left -= next.whole
        }
        #expect(tried == Array(0..<min(count, 4)))
        #expect(left >= .zero)
    }

    @Test func `without time or addresses there is no try`() {
        var late = AddressTries(count: 2)
        #expect(late.next(left: .zero) == nil)
        #expect(late.next(left: .seconds(-1)) == nil)
        var none = AddressTries(count: 0)
        #expect(none.next(left: .seconds(1)) == nil)
    }
}
