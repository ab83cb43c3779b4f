import Campaigns
import Delivery
import Operations
import Testing

@testable import Store

/// The document with a campaign's rate.
@Suite struct RateCurveViewTests {
    private let start = Timestamp(milliseconds: 1_790_000_000_000)

    private func entry(_ number: Int, _ kind: HistoryEntry.Kind = .paused) -> HistoryEntry {
        HistoryEntry(sequence: Int64(number), kind: kind, actor: "ana", at: start, data: .object([]))
    }

    @Test func `it has a column for each outcome, and the latest of what happened`() {
        var curve = RateCurve(from: start, until: start.advanced(by: .seconds(2)))
        var counts = OutcomeCounts()
        (counts.accepted, counts.invalid) = (5, 2)
        curve.add(counts, to: 1)
        let history = (1...RateCurveView.marksMax + 3).map { entry($0) }
        let json = RateCurveView(app: "news", campaign: "derby", curve: curve, history: history).json
        #expect(json["devices"]?.text == "[0,7,0]" && json["outcomes"]?["invalid"]?.text == "[0,2,0]")
        #expect(json["outcomes"]?.members?.map(\.name) == Outcome.allCases.map(\.name))
        #expect(json["step_seconds"] == 1 && json["begins_at"]?.string == start.rfc3339)
        let marks = json["marks"]?.array ?? []
        #expect(marks.count == RateCurveView.marksMax && marks.first?["seq"] == 4)
        #expect(marks.last?["type"] == "campaign.paused" && marks.last?["by"] == "ana")
    }
}
