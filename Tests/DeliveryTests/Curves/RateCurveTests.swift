import Campaigns
import Delivery
import Testing

/// The intervals in which a campaign's outcomes are counted.
@Suite struct RateCurveTests {
    private let start = Timestamp(milliseconds: 1_795_000_000_400)

    private func curve(_ seconds: Int64) -> RateCurve {
        RateCurve(from: start, until: start.advanced(by: .seconds(seconds)))
    }

    private func accepted(_ count: Int) -> OutcomeCounts {
        var counts = OutcomeCounts()
        counts.accepted = count
        return counts
    }

    @Test func `a longer campaign has longer intervals, and never too many`() {
        let steps = [0, 60, 239, 240, 3600, 86_400, 30 * 86_400].map { curve($0).step }
        #expect(steps == [1, 1, 1, 2, 30, 600, 21_600])
        for seconds in stride(from: Int64(0), through: 400 * 86_400, by: 99_991) {
            #expect(curve(seconds).points.count <= RateCurve.pointsMax, "\(seconds) s")
        }
    }

    @Test func `a curve that grows keeps where its intervals begin`() {
        #expect(curve(10).beginsAt == Timestamp(milliseconds: 1_795_000_000_000))
        #expect(curve(10).beginsAt == curve(200).beginsAt && curve(10).points.count == 11)
        let half = RateCurve(from: start, until: start.advanced(by: .seconds(3600)))
        #expect(half.step == 30 && half.beginsAt.milliseconds % 30_000 == 0 && half.beginsAt <= start)
    }

    @Test func `devices outside of it count at its ends`() {
        var curve = curve(3)
        for point in [-4, 0, 2, 99] { curve.add(accepted(point == 2 ? 5 : 1), to: point) }
        #expect(curve.points.map(\.accepted) == [2, 0, 5, 1])
    }

    @Test func `a clock that went back gives one interval`() {
        let curve = RateCurve(from: start, until: start.advanced(by: .seconds(-50)))
        #expect(curve.points.count == 1 && curve.endsAt == start)
    }
}
