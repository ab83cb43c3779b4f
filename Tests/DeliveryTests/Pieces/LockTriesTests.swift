import Delivery
import Testing

/// The tries of a lock that another process holds.
@Suite struct LockTriesTests {
    /// The pauses until the wait is over.
    private func pauses(_ tries: LockTries) -> [Duration] {
        Array(
            sequence(state: 0) { failed in
                defer { failed += 1 }
                return tries.pause(after: failed)
            }
        )
    }

    @Test func `the first pauses are short, and they grow with the wait to 2 ms`() {
        let pauses = pauses(LockTries(for: .seconds(5)))
        #expect(pauses.prefix(4).allSatisfy { $0 == LockTries.least })
        #expect(pauses == pauses.sorted() && pauses.last == LockTries.most)
    }

    @Test(arguments: [1, 50, 5_000]) func `the wait is as long as it was asked for`(_ milliseconds: Int) {
        let timeout = Duration.milliseconds(milliseconds)
        let waited = pauses(LockTries(for: timeout)).reduce(.zero, +)
        #expect(waited >= timeout && waited <= timeout + LockTries.most)
    }

    @Test func `a lock that is held for 50 ms is tried less than a third as often as every half millisecond`() {
        var (waited, count) = (Duration.zero, 0)
        for pause in pauses(LockTries(for: .seconds(5))) where waited < .milliseconds(50) {
            waited += pause
            count += 1
        }
        #expect(count < 34)
    }

    @Test func `without any time there is one more try`() {
        #expect(pauses(LockTries(for: .zero)).count == 1)
    }
}
