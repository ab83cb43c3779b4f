import Campaigns
import Delivery
import Testing

@Suite struct PlannerLeaseTests {
    private let now = Fixtures.now

    private func lease(_ owner: Int64, endsIn milliseconds: Int64) -> PlannerLease {
        PlannerLease(owner: owner, epoch: 4, until: now.advanced(by: .milliseconds(milliseconds)))
    }

    @Test func `what nobody has, or whose lease has run out, goes to who asks, in an epoch of its own`() {
        for last in [lease(0, endsIn: 2_000), lease(8, endsIn: 0), lease(8, endsIn: -5_000)] {
            let taken = PlannerLease(owner: 7, epoch: 5, until: now.advanced(by: .seconds(3)))
            #expect(last.taken(by: 7, isPaced: false, now: now) == taken)
        }
    }

    @Test func `another's lease is another's until its last millisecond`() {
        #expect(lease(8, endsIn: 1).taken(by: 7, isPaced: false, now: now) == nil)
    }

    @Test func `one of a worker that cannot go on with the audience is taken at once, in an epoch of its own`() {
        let taken = PlannerLease(owner: 7, epoch: 5, until: now.advanced(by: .seconds(3)))
        #expect(lease(8, endsIn: 2_000).taken(by: 7, isPaced: false, isIdle: true, now: now) == taken)
        // One's own is renewed as always.
        #expect(lease(7, endsIn: 2_900).taken(by: 7, isPaced: false, isIdle: true, now: now)?.epoch == 4)
    }

    @Test func `one that ends later than any can was written by a wrong clock, and is anybody's`() {
        let last = lease(8, endsIn: 3_600_000)
        #expect(last.taken(by: 7, isPaced: false, now: now)?.owner == 7)
        let renewed = PlannerLease(owner: 8, epoch: 4, until: now.advanced(by: .seconds(3)))
        #expect(last.taken(by: 8, isPaced: false, now: now) == renewed)
    }

    @Test(arguments: [(false, Int64(2_001), true), (false, 2_000, false), (true, 534, true), (true, 533, false)])
    func `one's own is renewed in the same epoch once a third of it is over`(
        _ isPaced: Bool,
        _ left: Int64,
        _ isFresh: Bool
    ) {
        let last = lease(7, endsIn: left)
        let length: Duration = isPaced ? .milliseconds(800) : .seconds(3)
        let renewed = PlannerLease(owner: 7, epoch: 4, until: now.advanced(by: length))
        #expect(last.taken(by: 7, isPaced: isPaced, now: now) == (isFresh ? last : renewed))
    }
}
