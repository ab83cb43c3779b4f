import Testing

@testable import Bench
@testable import fanfare

/// Phones of the bench: their arrival times, and the evaluation of answers.
@Suite struct EdgeLoadTests {
    @Test(arguments: [1, 3, 33, 8_333, 999_999_937])
    func `a request is due at its instant, not before and not a period later`(perSecond: Int) {
        let schedule = EdgeSchedule(total: 2_000_000_000, perSecond: perSecond)
        #expect(schedule.instant(of: 0) == 0)
        for number in [0, 1, 2, 7, 32, 33, 34, 8_333, 499_999, 1_000_000_007] {
            let instant = schedule.instant(of: number)
            #expect(schedule.due(after: instant) == number + 1)
            #expect(schedule.due(after: instant - 1) == number)
        }
    }

    @Test func `nothing is due before the beginning, and never more than there is`() {
        let schedule = EdgeSchedule(total: 10, perSecond: 100)
        #expect(schedule.due(after: -1) == 0)
        #expect(schedule.due(after: schedule.instant(of: 9)) == 10)
        #expect(schedule.due(after: schedule.instant(of: 10)) == 10)
        #expect(schedule.due(after: .max) == 10)
    }

    @Test func `a percentile is a latency that was measured`() {
        var report = EdgeLoad.Report(capacity: 100)
        #expect(report.percentile(0.99) == nil)
        for number in (1...100).reversed() {
            report.add(status: number == 7 ? 503 : 202, microseconds: UInt32(number * 1000))
        }
        report.close()
        #expect(report.percentile(0) == 1)
        #expect(report.percentile(0.5) == 50)
        #expect(report.percentile(0.99) == 99)
        #expect(report.percentile(1) == 100)
        #expect(report.statuses == [202: 99, 503: 1])
    }
}
