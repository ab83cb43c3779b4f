import Campaigns
import Delivery
import Testing

/// The ranges in which several planners freeze one audience.
@Suite struct AudienceRangesTests {
    private func count(
        registry: Int64 = 5_000_000,
        planners: Int = 4,
        devices: Int = 5_000_000,
        error: Int = 0,
        groups: Int = 12
    ) -> Int {
        let expected = AudienceEstimate(devices: devices, error: error)
        return AudienceRanges.count(registry: registry, planners: planners, expected: expected, groups: groups)
    }

    @Test func `there is a range for each planner, and one for all while the audience is small`() {
        #expect(count() == 4 && count(planners: 1) == 1 && count(planners: 0) == 1)
        #expect(count(registry: 100_000_000, planners: 400, devices: 100_000_000) == AudienceRanges.most)
        #expect(count(registry: 499_999, devices: 499_999, groups: 1) == 1)
        #expect(count(registry: 500_000, devices: 500_000, groups: 1) == 2)
        // A segment of few devices in a large registry, or one of which the size is not known well.
        #expect(count(devices: 5_000) == 1 && count(error: 4_999_000) == 1)
    }

    @Test(arguments: [1, 4, 12, 40, 100, 256], [500_000, 1_000_000, 5_000_000, 20_000_000])
    func `ranges and pieces together add at most a tenth to the shards`(_ groups: Int, _ devices: Int) {
        let ranges = count(registry: Int64(devices), planners: 16, devices: devices, groups: groups)
        var added = 0
        for _ in 0..<ranges {
            let all = devices / ranges
            let expected = AudienceEstimate(devices: all, error: 0)
            var pieces = AudiencePieces(flows: true, expected: expected, isOfRange: ranges > 1)
            for devices in stride(from: 500, through: all, by: 500) where pieces.isDue(devices: devices, open: groups) {
                pieces.passed(devices: devices, open: groups)
            }
            added += pieces.splits + groups
        }
        // What is open at the end of the whole audience is open at the end of any.
        #expect(added - groups <= devices / Shard.devicesMax / 10)
    }

    @Test(arguments: [(Int64(10), 3), (5_000_000, 16), (7, 7), (1, 1)])
    func `the ranges cover the registry, and none meets another`(_ registry: Int64, _ count: Int) {
        let ranges = AudienceRanges.ranges(of: registry, count: count)
        #expect(ranges.count == count && ranges.first?.lowerBound == 0 && ranges.last?.upperBound == registry)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        #expect((ranges.map(\.count).max() ?? 0) - (ranges.map(\.count).min() ?? 0) <= 1)
    }

    // MARK: Leases

    private let now = Fixtures.now

    private func range(
        _ number: Int,
        of campaign: UInt32 = 1,
        owner: Int64 = 0,
        isUrgent: Bool = false,
        left seconds: Int = 3
    ) -> RangeLease {
        let lease = PlannerLease(owner: owner, epoch: owner == 0 ? 0 : 1, until: now.advanced(by: .seconds(seconds)))
        return RangeLease(campaign: campaign, range: number, isUrgent: isUrgent, lease: lease)
    }

    private func taken(_ ranges: [RangeLease], by worker: Int64 = 7) -> [[Int]] {
        RangeLease.taken(ranges, by: worker, now: now).map { [Int($0.campaign), $0.range, Int($0.lease.epoch)] }
    }

    @Test func `a planner takes one range of each campaign, and another when that is over`() {
        #expect(taken([range(0, owner: 3), range(1), range(2)]) == [[1, 1, 1]])
        #expect(taken([range(0, owner: 3), range(1, owner: 7), range(2)]) == [[1, 1, 1]])
        #expect(taken([range(0, owner: 3), range(2)]) == [[1, 2, 1]])
        #expect(taken([range(0), range(1), range(0, of: 2)]) == [[1, 0, 1], [2, 0, 1]])
        #expect(taken([range(0, owner: 3), range(1, owner: 4)]).isEmpty)
    }

    @Test func `the range of a dead planner is taken with a higher epoch, and its own is renewed`() {
        #expect(taken([range(0, owner: 3, left: 0), range(1, owner: 4)]) == [[1, 0, 2]])
        let renewed = RangeLease.taken([range(0, owner: 7, left: 1)], by: 7, now: now)
        #expect(renewed.map(\.lease) == [PlannerLease(owner: 7, epoch: 1, until: now.advanced(by: .seconds(3)))])
        // Those that it has count before those that it could have.
        #expect(taken([range(0, left: 0), range(1, owner: 7)]) == [[1, 1, 1]])
    }

    @Test func `it takes no more ranges than it has seats, but for urgent campaigns`() {
        let many = (1...9).map { range(0, of: UInt32($0)) }
        #expect(taken(many).count == FreezingSeats.most)
        let held = (2...5).map { range(0, of: UInt32($0), owner: 7) }
        #expect(taken([range(0, of: 9, isUrgent: true)] + held + [range(0, of: 6)]).count == 5)
    }

    // MARK: Seats

    private func audience(_ number: UInt32, _ left: Int64, _ urgency: Urgency = .bulk) -> LeasedAudience {
        var lease = LeasedCampaign.fixture(number) { $0.isFlowing = true }
        lease.urgency = urgency
        return .range(0, of: lease, left: left)
    }

    private func seated(_ due: [LeasedAudience], after last: UInt32? = nil) -> [UInt32] {
        FreezingSeats.seated(due, after: last.map { AudienceKey(campaign: $0, range: 0) }).map(\.facts.number)
    }

    @Test func `a small or an urgent audience gets a seat before big ones, and urgent ones come first`() {
        let big = (1...5).map { audience($0, 1_000_000 + Int64($0)) }
        #expect(seated(big) == [1, 2, 3, 4])
        #expect(seated(big + [audience(8, 500)]) == [1, 2, 3, 8])
        #expect(seated(big + [audience(9, 9_000_000, .urgent)]) == [9, 1, 2, 3])
    }

    @Test func `each audience with a seat has its turn`() {
        let big = (1...3).map { audience($0, 1_000) }
        #expect(seated(big, after: 1) == [2, 3, 1] && seated(big, after: 3) == [1, 2, 3])
        #expect(seated(big, after: 77) == [1, 2, 3] && seated([]).isEmpty)
        #expect(seated(big + [audience(9, 5, .urgent)], after: 2) == [9, 3, 1, 2])
    }
}
