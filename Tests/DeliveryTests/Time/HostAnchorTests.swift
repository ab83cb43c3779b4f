import Campaigns
import Delivery
import Testing

/// The shared time of a ledger in a file: steps of the wall clock neither expire nor stop anything.
@Suite struct HostAnchorTests {
    /// A host with its monotonic clock and a settable wall clock.
    private struct Host {
        var boot = "one"
        var elapsed: Int64 = 1_000_000
        var wall: Int64 = 1_800_000_000_000
        var anchor: HostAnchor?
        var last: Timestamp?

        var shared: Int64 {
            let now = MonotonicInstant(nanoseconds: elapsed * 1_000_000)
            return now.shared(lead: anchor?.lead(at: now) ?? 0).milliseconds
        }

        mutating func pass(_ milliseconds: Int64) {
            elapsed += milliseconds
            wall += milliseconds
        }

        mutating func look(isAtRest: Bool = false, isUnattended: Bool = false) {
            let facts = HostAnchor.Facts(
                boot: boot,
                monotonic: MonotonicInstant(nanoseconds: elapsed * 1_000_000),
                wall: WallInstant(milliseconds: wall),
                last: last,
                isAtRest: isAtRest,
                isUnattended: isUnattended
            )
            anchor = HostAnchor.judged(anchor, facts)
            last = Timestamp(milliseconds: shared)
        }
    }

    private static let steps: [Int64] = [-86_400, -7200, -3600, -30, -2, 2, 30, 3600, 7200, 86_400]

    @Test func `the first look takes the wall clock's time, and it goes on with the monotonic clock`() {
        var host = Host()
        host.look()
        #expect(host.shared == host.wall)
        let first = host.anchor
        host.pass(3_600_000)
        host.look()
        #expect(host.shared == host.wall)
        #expect(host.anchor == first)
    }

    @Test(arguments: steps) func `a step while something is open moves the time by one part in a hundred`(step: Int64) {
        var host = Host()
        host.look()
        host.pass(10_000)
        host.wall += step * 1000
        let before = host.shared
        for _ in 1...100 {
            host.pass(1000)
            host.look()
        }
        // A hundred seconds have passed, to within one.
        let moved = host.shared - before - 100_000
        #expect(abs(moved) <= 1000 + 10)
        #expect(abs(moved) >= min(abs(step) * 1000, 1000) - 10)
        #expect(moved == 0 || (moved > 0) == (step > 0))
    }

    @Test func `the time comes to the wall clock's and stays there`() {
        var host = Host()
        host.look()
        host.wall += 2000
        for _ in 1...300 {
            host.pass(1000)
            host.look()
        }
        #expect(host.shared == host.wall)
    }

    @Test(arguments: steps) func `a step is adopted when nothing is open`(step: Int64) {
        var host = Host()
        host.look()
        host.pass(10_000)
        host.wall += step * 1000
        host.look(isAtRest: true)
        #expect(host.shared == host.wall)
    }

    @Test func `a step of a year is adopted only while no worker lives`() {
        for step in [Int64(-365), 365] {
            var host = Host()
            host.look()
            let right = host.wall
            host.wall += step * 86_400_000
            host.look(isAtRest: true)
            #expect(host.shared == right)
            host.look(isAtRest: true, isUnattended: true)
            #expect(host.shared == host.wall)
        }
    }

    @Test func `after a boot it is the wall clock's time, but no earlier than what was written down`() {
        for (step, expected) in [(Int64(-7200), Int64(0)), (600, 600)] {
            var host = Host()
            host.look()
            let last = host.shared
            (host.boot, host.elapsed, host.wall) = ("two", 5000, last + step * 1000)
            host.look()
            #expect(host.shared == last + expected * 1000)
        }
    }

    @Test func `a monotonic clock behind its own past is another boot's`() {
        var host = Host()
        host.look()
        host.elapsed -= 500_000
        host.wall += 1000
        host.look()
        #expect(host.shared == host.wall)
    }

    @Test func `two processes compute the same time from one anchor, whenever they look`() {
        var one = Host()
        one.look()
        one.wall += 3_600_000
        one.look()
        var two = one
        one.pass(5000)
        two.pass(5000)
        two.look()
        #expect(one.shared == two.shared)
    }
}
