import Delivery
import Seeds
import Testing

@Suite("Confirms of one channel")
struct ConfirmTrackerTests {
    typealias Tracker = ConfirmTracker<String>

    private func tracker(_ keys: String..., at now: Duration = .zero) -> Tracker {
        var tracker = Tracker()
        for key in keys { _ = tracker.published(key, now: now) }
        return tracker
    }

    @Test func `sequence numbers count from 1 as the broker does`() {
        var tracker = Tracker()
        #expect(tracker.published("a", now: .zero) == 1)
        #expect(tracker.published("b", now: .zero) == 2)
        #expect(tracker.lastSequence == 2)
    }

    @Test func `B20: a multiple ack confirms all up to its tag, and only once`() {
        var tracker = tracker("a", "b", "c")
        #expect(tracker.confirmed(tag: 2, multiple: false)?.map(\.sequence) == [2])
        #expect(tracker.confirmed(tag: 3, multiple: true)?.map(\.sequence) == [1, 3])
        #expect(tracker.confirmed(tag: 3, multiple: true) == [])
        #expect(tracker.outstandingCount == 0)
    }

    @Test func `a tag of 0 with multiple means all`() {
        var tracker = tracker("a", "b")
        #expect(tracker.refused(tag: 0, multiple: true)?.map(\.result) == [.refused, .refused])
    }

    @Test func `a confirm of what was never published is a breach of the protocol`() {
        var tracker = tracker("a")
        #expect(tracker.confirmed(tag: 2, multiple: false) == nil)
        #expect(tracker.confirmed(tag: 0, multiple: false) == nil)
        #expect(tracker.outstandingCount == 1)
    }

    @Test func `a returned message is not confirmed`() {
        var tracker = tracker("a", "b")
        #expect(tracker.returned("b", code: 312, text: "NO_ROUTE") == true)
        let settlements = tracker.confirmed(tag: 2, multiple: true)
        #expect(settlements?.map(\.result) == [.confirmed, .returned(code: 312, text: "NO_ROUTE")])
    }

    @Test func `returns of the same key meet their publishes in order`() {
        var tracker = tracker("a", "a", "a")
        #expect(tracker.returned("a", code: 312, text: "first") == true)
        #expect(tracker.returned("a", code: 312, text: "second") == true)
        #expect(tracker.confirmed(tag: 3, multiple: false)?.map(\.result) == [.confirmed])
        let rest = tracker.confirmed(tag: 2, multiple: true)
        #expect(rest?.map(\.result) == [.returned(code: 312, text: "first"), .returned(code: 312, text: "second")])
        #expect(tracker.returned("a", code: 312, text: "third") == false)
    }

    @Test func `B20: what waits too long is timed out once, and its late confirm is nothing`() {
        var tracker = tracker("a", at: .seconds(1))
        _ = tracker.published("b", now: .seconds(5))
        #expect(tracker.nextDeadline == .seconds(11))
        #expect(tracker.timeOut(now: .seconds(10)) == [])
        #expect(tracker.timeOut(now: .seconds(11)) == [.init(sequence: 1, result: .timedOut)])
        #expect(tracker.nextDeadline == .seconds(15))
        #expect(tracker.confirmed(tag: 1, multiple: false) == [])
        #expect(tracker.confirmed(tag: 2, multiple: true) == [.init(sequence: 2, result: .confirmed)])
    }

    @Test func `a lost connection makes everything unknown and the count begins anew`() {
        var tracker = tracker("a", "b", "c")
        _ = tracker.confirmed(tag: 2, multiple: false)
        #expect(tracker.connectionLost().map(\.sequence) == [1, 3])
        #expect(tracker.nextDeadline == nil)
        #expect(tracker.published("d", now: .zero) == 1)
    }

    /// A plain model: a set of unconfirmed numbers.
    ///
    /// Every publish must be settled exactly once, and alike in both.
    @Test(arguments: 0..<50 as Range<UInt64>)
    func `B20: against a model of sets, thousands of random steps agree`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var tracker = ConfirmTracker<UInt64>(timeout: .seconds(10))
        var outstanding: [UInt64: Duration] = [:]
        var returned: Set<UInt64> = []
        var last: UInt64 = 0
        var now = Duration.zero

        func check(_ settlements: [ConfirmTracker<UInt64>.Settlement]?, _ expected: Set<UInt64>, _ plain: String) {
            let settled = settlements ?? []
            #expect(settled.map(\.sequence) == expected.sorted())
            for settlement in settled {
                let isReturned = returned.contains(settlement.sequence)
                #expect("\(settlement.result)".hasPrefix(isReturned ? "returned" : plain))
                outstanding[settlement.sequence] = nil
                returned.remove(settlement.sequence)
            }
        }

        for _ in 0..<2000 {
            now += .milliseconds(Int64(random.next() % 200))
            switch random.next() % 12 {
            case 0...4:
                last += 1
                outstanding[last] = now + .seconds(10)
                #expect(tracker.published(last, now: now) == last)
            case 5, 6:
                guard last > 0 else { continue }
                let tag = 1 + random.next() % last
                check(tracker.confirmed(tag: tag, multiple: false), outstanding[tag] == nil ? [] : [tag], "confirmed")
            case 7, 8:
                guard last > 0 else { continue }
                let tag = random.next() % (last + 1)
                let upTo = tag == 0 ? last : tag
                let expected = Set(outstanding.keys.filter { $0 <= upTo })
                if random.next() % 2 == 0 {
                    check(tracker.confirmed(tag: tag, multiple: true), expected, "confirmed")
                } else {
                    check(tracker.refused(tag: tag, multiple: true), expected, "refused")
                }
            case 9:
                guard let key = outstanding.keys.sorted().first, !returned.contains(key) else { continue }
                #expect(tracker.returned(key, code: 312, text: "") == true)
                returned.insert(key)
            case 10:
                let expected = Set(outstanding.filter { $0.value <= now }.keys)
                check(tracker.timeOut(now: now), expected, "timedOut")
            default:
                guard random.next() % 20 == 0 else { continue }
                check(tracker.connectionLost(), Set(outstanding.keys), "connectionLost")
                last = 0
            }
            #expect(tracker.outstandingCount == outstanding.count)
            #expect(tracker.lastSequence == last)
        }
    }
}
