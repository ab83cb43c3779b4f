import Delivery
import Testing

@Suite struct ReportSeriesTests {
    private var reportSeries = ReportSeries()

    private func at(_ seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(seconds * 1_000_000_000))
    }

    @Test mutating func `silence means nothing until the ledger has heard this worker for a while`() {
        #expect(!reportSeries.judgesSilence(now: at(100)))
        reportSeries.reported(now: at(100))
        #expect(!reportSeries.judgesSilence(now: at(100)))
        for second in [102.0, 104] { reportSeries.reported(now: at(second)) }
        #expect(!reportSeries.judgesSilence(now: at(104.9)))
        #expect(reportSeries.judgesSilence(now: at(105)))
    }

    @Test mutating func `a ledger that heard nobody for a while is believed again when others had time to report`() {
        for second in stride(from: 0.0, through: 20, by: 2) { reportSeries.reported(now: at(second)) }
        #expect(reportSeries.judgesSilence(now: at(25)))
        // The ledger is away: nobody else is heard either.
        #expect(!reportSeries.judgesSilence(now: at(25.1)))
        reportSeries.reported(now: at(32))
        #expect(!reportSeries.judgesSilence(now: at(32)))
        for second in [34.0, 36] { reportSeries.reported(now: at(second)) }
        #expect(!reportSeries.judgesSilence(now: at(36.9)))
        #expect(reportSeries.judgesSilence(now: at(37)))
    }
}
